import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAction } from '#contract/actions.ts';
import type { ChoiceEvent } from '#contract/choices.ts';
import { type Customer, getCustomer, updateCustomer } from '#contract/customers.ts';
import { listDeliveries } from '#contract/deliveries.ts';
import { listInbound } from '#contract/inbound.ts';
import { createIntegration } from '#contract/integrations.ts';
import { deliverNow } from '#server/delivery/sending/deliveries.jobs.ts';
import { type FakeRecord, type SalesforceFake, startSalesforceFake } from '#test/fakes/tools/salesforce.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildSite, buildWorld, logInAgain, type World } from '#test/harness/world.ts';
import { POLLS } from './polls.ts';

let product: TestProduct;
let salesforce: SalesforceFake;
let world: World;
let acme: World;
let integrationId: string;
let vera: Customer;
let record: FakeRecord;

beforeAll(async () => {
  salesforce = await startSalesforceFake();
  // No worker: the tests poll and deliver when they want it.
  product = await startTestProduct({ env: { CONNECTOR_SALESFORCE_URL: salesforce.url } });
  world = await buildWorld(product);
});

afterAll(async () => {
  await product.stop();
  await salesforce.close();
});

beforeEach(async () => {
  await product.testDatabase.owner.query('delete from scheduled_tasks');
  await minutesPass(1);
  acme = await buildSite(product, world.owner, world.params.organization_id);
  vera = await buildCustomer(product, acme);
  record = salesforce.add('Contact', { Email: vera.email, LastName: 'Vera' });
  await connect();
});

async function connect(): Promise<void> {
  const body = { provider: 'salesforce', credentials: { ...salesforce.credentials } };
  integrationId = (await product.call(createIntegration, { params: acme.params, body }, acme.owner)).id;
  await poll();
}

async function minutesPass(minutes: number): Promise<void> {
  product.clock.advance({ minutes });
  salesforce.setTime(product.clock.now());
  for (const table of ['rate_limits', 'tool_rate_limits']) {
    await product.testDatabase.owner.query(`delete from ${table}`);
  }
  await logInAgain(product, world.owner);
}

async function poll(): Promise<void> {
  await minutesPass(6);
  await POLLS.runDue(product.services);
}

const edit = (fields: Record<string, string | boolean>) => salesforce.edit(record.Id, fields);

/** @returns when */
function optOut(): string {
  edit({ HasOptedOutOfEmail: true });
  return String(record.SystemModstamp).replace('+0000', 'Z');
}

const phoneNumberChanges = () => edit({ LastName: 'Vera-Maria' });

const change = (body: { email: string } | { global_unsubscribe: boolean }) =>
  product.call(updateCustomer, { params: { ...acme.params, id: vera.id }, body }, acme.owner);

async function returnHere(): Promise<void> {
  await minutesPass(1);
  await change({ global_unsubscribe: false });
  await minutesPass(1);
}

const hasLeft = async () =>
  (await product.call(getCustomer, { params: { ...acme.params, id: vera.id } }, acme.owner))
    .global_unsubscribe;

/** Oldest first. */
async function events() {
  const params = { ...acme.params, id: integrationId };
  const { results } = await product.call(listInbound, { params }, acme.owner);
  return results.toReversed().map(({ kind, at, outcome }) => ({ kind, at, outcome }));
}

async function act(event: ChoiceEvent, type: 'global_unsubscribe' | 'switch_email', operation?: string) {
  const body = {
    type,
    name: 'Tell Salesforce',
    integration_id: integrationId,
    trigger: { event },
    target: {},
    ...(operation !== undefined && { operation }),
  };
  await product.call(createAction, { params: acme.params, body }, acme.owner);
}

async function deliverAll(): Promise<void> {
  const query = { customer_id: vera.id };
  const { results } = await product.call(listDeliveries, { params: acme.params, query }, acme.owner);
  for (const { id, status, attempt_count: round } of results.toReversed()) {
    if (status === 'waiting') {
      await deliverNow(product.services, { site_id: acme.params.site_id, id, round });
    }
  }
}

describe('an opt-out of a tool that shows only how a record stands', () => {
  it('counts once, at its own time, whatever else is changed of the record (spec 6)', async () => {
    const at = optOut();
    await poll();
    expect(await hasLeft()).toBe(true);
    await returnHere();
    phoneNumberChanges();
    await poll();
    await poll();
    expect(await hasLeft()).toBe(false);
    expect(await events()).toEqual([{ kind: 'unsubscribed', at, outcome: 'applied' }]);
  });

  it('is no news where it was so before the tool was connected', async () => {
    const other = await buildCustomer(product, acme);
    const old = salesforce.add('Lead', { Email: other.email, Company: 'B', HasOptedOutOfEmail: true });
    await minutesPass(60);
    await connect();
    salesforce.edit(old.Id, { LastName: 'Olsson' });
    await poll();
    expect(await events()).toEqual([]);
  });

  it('counts again after the tool was told to mail the person, though nobody looked in between', async () => {
    await act('global_resubscribed', 'global_unsubscribe', 'resubscribe');
    optOut();
    await poll();
    await returnHere();
    await deliverAll();
    expect(record.HasOptedOutOfEmail).toBe(false);
    await minutesPass(1);
    const at = optOut();
    await poll();
    expect(await hasLeft()).toBe(true);
    expect((await events()).at(-1)).toEqual({ kind: 'unsubscribed', at, outcome: 'applied' });
    await returnHere();
    await POLLS.runDue(product.services);
    phoneNumberChanges();
    await poll();
    expect(await hasLeft()).toBe(false);
  });

  it('makes no event of what we wrote, once the tool shows it', async () => {
    await act('global_resubscribed', 'global_unsubscribe', 'resubscribe');
    optOut();
    await poll();
    await returnHere();
    await deliverAll();
    await poll();
    phoneNumberChanges();
    await poll();
    expect(await events()).toMatchObject([{ kind: 'unsubscribed' }]);
    expect(await hasLeft()).toBe(false);
  });

  it('counts again after somebody took it back in the tool', async () => {
    optOut();
    await poll();
    edit({ HasOptedOutOfEmail: false });
    await poll();
    expect(await hasLeft()).toBe(true);
    await returnHere();
    optOut();
    await poll();
    expect(await hasLeft()).toBe(true);
    expect(await events()).toMatchObject([
      { kind: 'unsubscribed', outcome: 'applied' },
      { kind: 'resubscribed', outcome: 'ignored' },
      { kind: 'unsubscribed', outcome: 'applied' },
    ]);
  });

  it('from before the return does not count where the tool keeps the history of the field', async () => {
    salesforce.track(true);
    optOut();
    await returnHere();
    await change({ global_unsubscribe: true });
    await returnHere();
    phoneNumberChanges();
    salesforce.track(false);
    await poll();
    expect(await hasLeft()).toBe(false);
    expect(await events()).toMatchObject([{ kind: 'unsubscribed', outcome: 'ignored' }]);
  });

  it('is known of the person whose address changes, too', async () => {
    await act('email_changed', 'switch_email');
    optOut();
    await poll();
    await returnHere();
    const email = `new.${vera.email}`;
    await change({ email });
    await deliverAll();
    expect(record.Email).toBe(email);
    await poll();
    phoneNumberChanges();
    await poll();
    expect(await hasLeft()).toBe(false);
    expect(await events()).toHaveLength(1);
  });

  it('counts for another person whose address the record gets', async () => {
    const email = `old.${vera.email}`;
    edit({ Email: email, HasOptedOutOfEmail: true });
    await poll();
    expect(await hasLeft()).toBe(false);
    edit({ Email: vera.email });
    await poll();
    expect(await hasLeft()).toBe(true);
  });

  it('is found again, and counts once, when a worker died over it', async () => {
    optOut();
    const { owner } = product.testDatabase;
    await owner.query('alter table known_opt_outs add constraint nothing check (false) not valid');
    await poll();
    await owner.query('alter table known_opt_outs drop constraint nothing');
    await poll();
    expect(await events()).toMatchObject([{ kind: 'unsubscribed', outcome: 'applied' }]);
  });
});
