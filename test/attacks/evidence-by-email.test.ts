import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { confirmAccountLink, readAccountLink } from '#contract/account-links.ts';
import { testAction } from '#contract/action-tests.ts';
import { createAction, updateAction } from '#contract/actions.ts';
import { setCustomerLists } from '#contract/customers.ts';
import { type DeliveryDetail, getDelivery, listDeliveries } from '#contract/deliveries.ts';
import { deliverNow } from '#server/delivery/sending/deliveries.jobs.ts';
import { type MailServer, startMailServer } from '#test/fakes/mail-server.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildSite, buildWorld, type World } from '#test/harness/world.ts';

let tests = 0;
let stranger: string;

let mailServer: MailServer;
let product: TestProduct;
let world: World;

beforeAll(async () => {
  mailServer = await startMailServer();
  product = await startTestProduct({ env: { SMTP_URL: mailServer.url } });
});

afterAll(async () => {
  await product.stop();
  await mailServer.close();
});

beforeEach(async () => {
  tests += 1;
  stranger = `Stranger-${tests}@elsewhere.example`;
  await product.testDatabase.owner.query('delete from rate_limits');
  world = await buildWorld(product);
  mailServer.mails.length = 0;
});

const sendTo = (email: string, where = world) =>
  product.call(
    createAction,
    {
      params: where.params,
      body: { type: 'evidence', name: 'Archive', trigger: { event: 'unsubscribed' }, target: { email } },
    },
    where.owner,
  );
const saveAgain = (id: string, email: string) =>
  product.call(updateAction, { params: { ...world.params, id }, body: { target: { email } } }, world.owner);
const press = (token: string) => product.call(confirmAccountLink, { body: { token } });
const mailsTo = (address: string) => mailServer.mails.filter(({ to }) => to?.[0]?.address === address);
const subjectsTo = (address: string) => mailsTo(address).map(({ subject }) => subject ?? '');
const tokenTo = (address: string) =>
  /\/confirm\?token=([\w-]+)/.exec(mailsTo(address).at(-1)?.text ?? '')?.[1] ?? '';

/** Someone unsubscribes, and what follows is attempted once. */
async function someoneLeaves(where = world): Promise<DeliveryDetail> {
  const { id } = await buildCustomer(product, where);
  const body = [{ notification_list_id: where.weekly.id, subscribed: false }];
  await product.call(setCustomerLists, { params: { ...where.params, id }, body }, where.owner);
  const query = { customer_id: id };
  const { results } = await product.call(listDeliveries, { params: where.params, query }, where.owner);
  return attempt(results[0]?.id ?? '', where);
}

async function attempt(id: string, where = world): Promise<DeliveryDetail> {
  const read = () => product.call(getDelivery, { params: { ...where.params, id } }, where.owner);
  const { attempt_count: round } = await read();
  await deliverNow(product.services, { site_id: where.params.site_id, id, round });
  return read();
}

const ASKS = () => `“${world.site.name}” wants to send you its evidence`;
const EVIDENCE = 'Evidence at';

describe('a mailbox that an action emails evidence to', () => {
  it('gets one email with a link, however many customers change something, and no evidence', async () => {
    const { id } = await sendTo(stranger);
    await sendTo(stranger);
    for (let count = 0; count < 3; count += 1) {
      expect(await someoneLeaves()).toMatchObject({
        status: 'waiting',
        last_error: expect.stringContaining(`Waits for ${stranger} to agree`),
      });
    }
    await saveAgain(id, stranger);
    expect(await product.call(testAction, { params: { ...world.params, id } }, world.owner)).toMatchObject({
      outcome: 'refused',
    });
    expect(subjectsTo(stranger)).toEqual([ASKS()]);
  });

  it('gets what waited, and all that follows, once the button behind its link was pressed', async () => {
    await sendTo(stranger);
    const waiting = await someoneLeaves();
    const token = tokenTo(stranger);
    const link = { kind: 'receive_records', email: stranger.toLowerCase(), site_name: world.site.name };
    expect(await product.call(readAccountLink, { body: { token } })).toEqual(link);
    product.clock.advance({ minutes: 1 });

    expect(await press(token)).toEqual({ ...link, reset_token: null });
    const { rows } = await product.testDatabase.owner.query<{ next_attempt_at: Date }>(
      'select next_attempt_at from deliveries where id = $1',
      [waiting.id],
    );
    expect(Number(rows[0]?.next_attempt_at)).toBeLessThanOrEqual(product.clock.now().getTime());
    expect(await attempt(waiting.id)).toMatchObject({ status: 'arrived' });
    expect(await someoneLeaves()).toMatchObject({ status: 'arrived' });
    expect(subjectsTo(stranger).filter((subject) => subject.startsWith(EVIDENCE))).toHaveLength(2);
    expect((await product.refuse(confirmAccountLink, { body: { token } })).errors[0]?.code).toBe('link_used');
  });

  it('agrees to one site only', async () => {
    const sister = await buildSite(product, world.owner, world.params.organization_id);
    await sendTo(stranger);
    await press(tokenTo(stranger));
    await sendTo(stranger, sister);
    expect(await someoneLeaves(sister)).toMatchObject({ status: 'waiting' });
  });

  it('stops it by the link in each email, and opening that link stops nothing', async () => {
    const { id } = await sendTo(stranger);
    await press(tokenTo(stranger));
    await someoneLeaves();
    const token = tokenTo(stranger);
    const header = mailsTo(stranger)
      .at(-1)
      ?.headers.find(({ key }) => key === 'list-unsubscribe')?.value;
    expect(header).toBe(`<${product.url}/confirm?token=${token}>`);
    const link = { kind: 'stop_records', email: stranger.toLowerCase(), site_name: world.site.name };
    expect(await product.call(readAccountLink, { body: { token } })).toEqual(link);
    expect(await someoneLeaves()).toMatchObject({ status: 'arrived' });

    expect(await press(token)).toEqual({ ...link, reset_token: null });
    expect(await someoneLeaves()).toMatchObject({ status: 'waiting' });
    expect((await product.refuse(confirmAccountLink, { body: { token } })).errors[0]?.code).toBe('link_used');
    await saveAgain(id, stranger);
    expect(subjectsTo(stranger).at(-1)).toBe(ASKS());
  });

  it('needs no link where a member has proven it, and can stop it all the same', async () => {
    const { email, id } = world.owner;
    await product.testDatabase.owner.query('update users set email_proven_at = now() where id = $1', [id]);
    await sendTo(email);
    expect(await someoneLeaves()).toMatchObject({ status: 'arrived' });
    expect(subjectsTo(email)).toEqual([expect.stringContaining(EVIDENCE)]);
    await press(tokenTo(email));
    expect(await someoneLeaves()).toMatchObject({ status: 'waiting' });
  });

  it('gets the link if its member has not proven it, or if only another organization’s member has', async () => {
    const other = await buildWorld(product);
    await product.testDatabase.owner.query('update users set email_proven_at = now() where id = $1', [
      other.owner.id,
    ]);
    await sendTo(world.owner.email);
    await sendTo(other.owner.email);
    expect(subjectsTo(world.owner.email)).toEqual([ASKS()]);
    expect(subjectsTo(other.owner.email)).toEqual([ASKS()]);
  });

  it('is asked at most five times a day, by all sites', async () => {
    for (let site = 0; site < 7; site += 1) await sendTo(stranger, await buildWorld(product));
    expect(subjectsTo(stranger)).toHaveLength(5);
  });
});
