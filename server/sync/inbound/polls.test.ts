import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Customer, getCustomer } from '#contract/customers.ts';
import { listInbound } from '#contract/inbound.ts';
import {
  createIntegration,
  deleteIntegration,
  getIntegration,
  updateIntegration,
} from '#contract/integrations.ts';
import { type MailServer, startMailServer } from '#test/fakes/mail-server.ts';
import { type SendlaneFake, startSendlaneFake } from '#test/fakes/tools/sendlane.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildSite, buildWorld, logInAgain, type World } from '#test/harness/world.ts';
import { POLLS } from './polls.ts';

let product: TestProduct;
let mailServer: MailServer;
let sendlane: SendlaneFake;
let world: World;
let acme: World;
let integrationId: string;
let vera: Customer;

beforeAll(async () => {
  sendlane = await startSendlaneFake();
  mailServer = await startMailServer();
  product = await startTestProduct({
    env: { CONNECTOR_SENDLANE_URL: sendlane.url, SMTP_URL: mailServer.url },
  });
  world = await buildWorld(product);
});

afterAll(async () => {
  await product.stop();
  await sendlane.close();
  await mailServer.close();
});

beforeEach(async () => {
  mailServer.mails.length = 0;
  await product.testDatabase.owner.query('delete from rate_limits');
  await product.testDatabase.owner.query('delete from tool_rate_limits');
  await product.testDatabase.owner.query('delete from scheduled_tasks');
  await logInAgain(product, world.owner);
  acme = await buildSite(product, world.owner, world.params.organization_id);
  integrationId = await connect();
  vera = await buildCustomer(product, acme);
  sendlane.addContact(vera.email);
  await pollDue();
});

const pollDue = () => POLLS.runDue(product.services);

async function connect(): Promise<string> {
  const body = { provider: 'sendlane', credentials: { ...sendlane.credentials } };
  return (await product.call(createIntegration, { params: acme.params, body }, acme.owner)).id;
}

async function minutesPass(minutes: number): Promise<void> {
  product.clock.advance({ minutes });
  await product.testDatabase.owner.query('delete from rate_limits');
  await product.testDatabase.owner.query('delete from tool_rate_limits');
  await logInAgain(product, world.owner);
}

const ofTool = (id = integrationId) => ({ ...acme.params, id });

const inbound = async (id = integrationId) =>
  (await product.call(listInbound, { params: ofTool(id) }, acme.owner)).results;

const customer = () => product.call(getCustomer, { params: { ...acme.params, id: vera.id } }, acme.owner);

/** She leaves now, and so much time passes that Sendlane shows it. */
async function veraLeaves(): Promise<void> {
  sendlane.leave(vera.email, null, product.clock.now());
  await minutesPass(16);
}

describe('a tool without webhooks', () => {
  it('is polled every five minutes, and what people did there becomes their choice, once', async () => {
    const asked = sendlane.seen.length;
    await pollDue();
    expect(sendlane.seen.length).toBe(asked);
    await veraLeaves();
    await pollDue();
    expect((await customer()).global_unsubscribe).toBe(true);
    await minutesPass(6);
    await pollDue();
    expect(await inbound()).toMatchObject([
      { kind: 'unsubscribed', email: vera.email, outcome: 'applied', reason: null },
    ]);
  });

  it('is polled by one process at a time', async () => {
    await veraLeaves();
    const before = sendlane.seen.length;
    await pollDue();
    const calls = sendlane.seen.length - before;
    await minutesPass(16);
    const again = sendlane.seen.length;
    await Promise.all([pollDue(), pollDue()]);
    expect(sendlane.seen.length - again).toBe(calls);
  });

  it('is polled again for what a dead worker did not record, and nothing is done twice', async () => {
    await veraLeaves();
    const { owner } = product.testDatabase;
    await owner.query('alter table inbound_events add constraint no_events check (false) not valid');
    await pollDue();
    await owner.query('alter table inbound_events drop constraint no_events');
    expect(await inbound()).toEqual([]);
    await minutesPass(6);
    await pollDue();
    expect(await inbound()).toMatchObject([{ outcome: 'applied' }]);
  });

  it('is left to other workers a while after its own died', async () => {
    await veraLeaves();
    const { owner } = product.testDatabase;
    await owner.query('update scheduled_tasks set lease = integration_id, due_at = $1', [
      new Date(product.clock.now().getTime() + 3 * 60_000),
    ]);
    await pollDue();
    expect((await customer()).global_unsubscribe).toBe(false);
    await minutesPass(4);
    await pollDue();
    expect((await customer()).global_unsubscribe).toBe(true);
  });

  it('delays no other one when it fails, reports it once, and continues where it was', async () => {
    const second = await connect();
    await pollDue();
    await veraLeaves();
    sendlane.trouble({ status: 500 });
    await pollDue();
    expect((await customer()).global_unsubscribe).toBe(true);
    await minutesPass(6);
    await pollDue();
    const outcomes = async (id: string) => (await inbound(id)).map(({ outcome }) => outcome);
    const both = [await outcomes(integrationId), await outcomes(second)];
    expect(both.toSorted((one, other) => one.length - other.length)).toEqual([
      ['applied'],
      ['applied', 'failed'],
    ]);
  });

  it('that rejects the credentials is no longer polled until there are new ones; its owners are told once', async () => {
    await minutesPass(16);
    sendlane.trouble({ status: 401 }, 2);
    await pollDue();
    const read = () => product.call(getIntegration, { params: ofTool() }, acme.owner);
    expect((await read()).status).toBe('credentials_refused');
    expect(mailServer.mails).toHaveLength(1);
    await minutesPass(6);
    const asked = sendlane.seen.length;
    await pollDue();
    expect(sendlane.seen.length).toBe(asked);
    sendlane.trouble({ status: 200 }, 0);
    const body = { credentials: { ...sendlane.credentials } };
    await expect
      .poll(() => product.call(updateIntegration, { params: ofTool(), body }, acme.owner).catch(() => null))
      .toMatchObject({ status: 'connected' });
    await veraLeaves();
    await pollDue();
    expect((await customer()).global_unsubscribe).toBe(true);
  });

  it('is no longer polled once it is disconnected', async () => {
    await product.call(deleteIntegration, { params: ofTool() }, acme.owner);
    await minutesPass(16);
    const asked = sendlane.seen.length;
    await pollDue();
    expect(sendlane.seen.length).toBe(asked);
  });
});
