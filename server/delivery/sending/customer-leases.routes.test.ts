import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createAction } from '#contract/actions.ts';
import { type Customer, setCustomerLists, updateCustomer } from '#contract/customers.ts';
import { type DeliveryDetail, getDelivery, listDeliveries } from '#contract/deliveries.ts';
import { createIntegration } from '#contract/integrations.ts';
import type { RouteCall } from '#contract/route.ts';
import type { Resource, WhichWrites } from '#server/connectors/connector.ts';
import { wasWrittenSince } from '#server/delivery/deliveries/deliveries.sql.ts';
import { type SendgridFake, startSendgridFake } from '#test/fakes/tools/sendgrid.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWorld, type World } from '#test/harness/world.ts';
import { withCustomerLease } from './customer-leases.ts';
import { deliverNow } from './deliveries.jobs.ts';

let product: TestProduct;
let sendgrid: SendgridFake;
let acme: World;

beforeAll(async () => {
  sendgrid = await startSendgridFake();
  product = await startTestProduct({ env: { CONNECTOR_SENDGRID_URL: sendgrid.url } });
  acme = await buildWorld(product);
});

afterEach(() => vi.restoreAllMocks());

afterAll(async () => {
  vi.useRealTimers();
  await product.stop();
  await sendgrid.close();
});

async function deliveriesOf({ id: customer_id }: Customer): Promise<DeliveryDetail[]> {
  const query = { customer_id };
  const { results } = await product.call(listDeliveries, { params: acme.params, query }, acme.owner);
  return Promise.all(
    results.map(({ id }) => product.call(getDelivery, { params: { ...acme.params, id } }, acme.owner)),
  );
}

async function run({ id, attempt_count: round }: DeliveryDetail): Promise<void> {
  await product.testDatabase.owner.query('delete from tool_rate_limits');
  await deliverNow(product.services, { site_id: acme.params.site_id, id, round });
}

async function connect(): Promise<string> {
  const body = { provider: 'sendgrid', credentials: sendgrid.credentials };
  const { id } = await product.call(createIntegration, { params: acme.params, body }, acme.owner);
  return id;
}

it('a long piece of work renews its lease, and ends it when it is done', async () => {
  const integrationId = await connect();
  const { id: customerId } = await buildCustomer(product, acme);
  const place = { siteId: acme.params.site_id, integrationId, customerId };
  const tryOther = () => withCustomerLease(product.services, place, async () => 'other');
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const during = await withCustomerLease(product.services, place, async () => {
    for (let halfMinute = 0; halfMinute < 5; halfMinute += 1) {
      product.clock.advance({ seconds: 30 });
      await vi.advanceTimersByTimeAsync(30_000);
      await vi.waitFor(async () => {
        const { rows } = await product.testDatabase.owner.query<{ expires_at: Date }>(
          'select expires_at from customer_leases where customer_id = $1',
          [customerId],
        );
        // Half a minute without a renewal would leave 90 seconds.
        const left = Number(rows[0]?.expires_at) - product.clock.now().getTime();
        expect(left).toBeGreaterThan(100_000);
      });
    }
    return tryOther();
  });
  expect(during).toBeNull();
  expect(await tryOther()).toBe('other');
});

describe('while SendGrid stores a contact for minutes', () => {
  let waited = 0;
  let list: Resource;
  let integration_id = '';

  type Acts = Pick<RouteCall<typeof createAction>['body'], 'type' | 'trigger' | 'target'> & {
    operation?: string;
  };
  const act = (parts: Acts) =>
    product.call(
      createAction,
      { params: acme.params, body: { name: 'Follow', integration_id, ...parts } },
      acme.owner,
    );

  beforeAll(async () => {
    integration_id = await connect();
    const [made] = sendgrid.addResources('lists', 1);
    if (made === undefined) throw new Error('The stand-in made no list');
    list = made;
    const list_ids = [acme.weekly.id];
    const target = { ...list };
    await act({ type: 'list', operation: 'add', target, trigger: { event: 'subscribed', list_ids } });
    await act({ type: 'list', operation: 'remove', target, trigger: { event: 'unsubscribed', list_ids } });
    await act({ type: 'global_unsubscribe', target: {}, trigger: { event: 'global_unsubscribed' } });
    await act({ type: 'switch_email', target: {}, trigger: { event: 'email_changed' } });
  });

  /** Makes each delivery of the customer that waits, the oldest first. */
  async function runAll(customer: Customer): Promise<void> {
    waited = 0;
    vi.spyOn(product.clock, 'wait').mockImplementation(async (ms) => void (waited += ms));
    const waiting = (await deliveriesOf(customer)).filter(({ status }) => status === 'waiting');
    for (const one of waiting.toReversed()) await run(one);
  }

  const choose = (customer: Customer, subscribed: boolean) =>
    product.call(
      setCustomerLists,
      {
        params: { ...acme.params, id: customer.id },
        body: [{ notification_list_id: acme.weekly.id, subscribed }],
      },
      acme.owner,
    );
  const update = (customer: Customer, body: RouteCall<typeof updateCustomer>['body']) =>
    product.call(updateCustomer, { params: { ...acme.params, id: customer.id }, body }, acme.owner);

  it('any process can tell that a person was written, when, and by which calls', async () => {
    const customer = await buildCustomer(product, acme);
    const start = product.clock.now();
    await choose(customer, true);
    await runAll(customer);
    const [joined] = await deliveriesOf(customer);
    const wroteSince = (since: Date, which: WhichWrites = {}) =>
      product.services.database.readSite(acme.params.site_id, (site) =>
        wasWrittenSince(site, [customer.id], { ...which, integrationId: integration_id, since }),
      );
    expect(await wroteSince(start)).toBe(true);
    expect(await wroteSince(start, { isUnconfirmed: true })).toBe(false);
    expect(await wroteSince(start, { parts: ['/v3/marketing/'] })).toBe(true);
    expect(await wroteSince(start, { parts: ['/v3/marketing/', customer.email.toUpperCase()] })).toBe(true);
    expect(await wroteSince(start, { parts: ['/v3/marketing/', `new-${customer.email}`] })).toBe(false);
    expect(await wroteSince(start, { parts: ['/v3/asm/'] })).toBe(false);
    product.clock.advance({ seconds: 1 });
    expect(await wroteSince(product.clock.now())).toBe(false);
    const knownBy = (request: object) =>
      product.testDatabase.owner.query(
        'update delivery_attempts set request = request || $2 where delivery_id = $1',
        [joined?.id, request],
      );
    await knownBy({ method: 'POST', url: `${sendgrid.url}/v3/marketing/contacts/search/emails` });
    expect(await wroteSince(start)).toBe(false);
    await knownBy({ method: 'GET', url: `${sendgrid.url}/v3/marketing/contacts` });
    expect(await wroteSince(start)).toBe(false);
  });

  it.each([
    ['new', () => {}],
    ['known', (email: string) => sendgrid.addContact(email)],
  ])(
    'an opt-out of a %s contact arrives, and the removal is repeated once the job is done',
    async (_, know) => {
      const customer = await buildCustomer(product, acme);
      know(customer.email);
      sendgrid.nextJob('late');
      await choose(customer, true);
      await runAll(customer);
      expect(waited).toBe(3000);

      await update(customer, { global_unsubscribe: true });
      await choose(customer, false);
      await runAll(customer);
      expect(sendgrid.holds(customer.email)?.unsubscribed).toBe(true);
      expect((await deliveriesOf(customer)).filter(({ status }) => status === 'waiting')).toMatchObject([
        { attempt_count: 1, last_error: expect.stringContaining("hasn't stored the contact yet") },
      ]);

      sendgrid.finishJobs();
      expect(sendgrid.contact(customer.email)?.listIds).toEqual([list.id]);
      await runAll(customer);
      expect(sendgrid.contact(customer.email)?.listIds).toEqual([]);
    },
  );

  it('a change of address finishes after SendGrid has stored the new contact', async () => {
    const customer = await buildCustomer(product, acme);
    await choose(customer, true);
    await runAll(customer);
    Object.assign(sendgrid.contact(customer.email)?.values ?? {}, { first_name: 'Nora' });
    const email = `new-${customer.email}`;
    await update(customer, { email });
    sendgrid.nextJob('late');
    await runAll(customer);
    expect(waited).toBe(3000);
    expect(sendgrid.contact(customer.email)).toBeDefined();
    sendgrid.finishJobs();
    const puts = () => sendgrid.seen.filter(({ method }) => method === 'PUT').length;
    const before = puts();
    await runAll(customer);
    expect(puts()).toBe(before);
    expect(sendgrid.contact(customer.email)).toBeUndefined();
    expect(sendgrid.contact(email)).toMatchObject({ listIds: [list.id], values: { first_name: 'Nora' } });
  });
});

it('a delivery that is made stays made when its lease cannot be released', async () => {
  const { owner } = product.testDatabase;
  await owner.query(
    `create function be_away() returns trigger language plpgsql as $$ begin raise exception 'away'; end $$`,
  );
  await owner.query(
    'create trigger away before delete on customer_leases for each row execute function be_away()',
  );
  onTestFinished(() => owner.query('drop function be_away cascade').then(() => {}));
  const vera = await buildCustomer(product, acme);
  const integrationId = await connect();
  const place = { siteId: acme.params.site_id, integrationId, customerId: vera.id };
  expect(await withCustomerLease(product.services, place, async () => 'made')).toBe('made');
});
