import { afterAll, afterEach, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { createAction } from '#contract/actions.ts';
import { type Customer, updateCustomer } from '#contract/customers.ts';
import { type DeliveryDetail, getDelivery, listDeliveries } from '#contract/deliveries.ts';
import { createIntegration } from '#contract/integrations.ts';
import type { Resource } from '#server/connectors/connector.ts';
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

it('a delivery renews its lease while SendGrid stores a change of address in three slow jobs', async () => {
  const body = { provider: 'sendgrid', credentials: sendgrid.credentials };
  const { id: integration_id } = await product.call(
    createIntegration,
    { params: acme.params, body },
    acme.owner,
  );
  const [list] = sendgrid.addResources('lists', 1);
  if (list === undefined) throw new Error('The fake made no list');
  type Acts =
    | { type: 'switch_email'; target: Record<string, never> }
    | { type: 'list'; target: Resource; operation: string };
  const act = (parts: Acts) =>
    product.call(
      createAction,
      {
        params: acme.params,
        body: { name: 'Follow', integration_id, trigger: { event: 'email_changed' }, ...parts },
      },
      acme.owner,
    );
  const move = await act({ type: 'switch_email', target: {} });
  await act({ type: 'list', target: list, operation: 'add' });

  const customer = await buildCustomer(product, acme);
  sendgrid.addContact(customer.email);
  // What only one contact can have needs a third job.
  Object.assign(sendgrid.contact(customer.email)?.values ?? {}, { external_id: 'crm-7' });
  const email = `new-${customer.email}`;
  const params = { ...acme.params, id: customer.id };
  await product.call(updateCustomer, { params, body: { email } }, acme.owner);
  const deliveries = await deliveriesOf(customer);
  const slow = deliveries.find(({ action_id }) => action_id === move.id);
  const other = deliveries.find(({ action_id }) => action_id !== move.id);
  if (slow === undefined || other === undefined) throw new Error('There are no two deliveries');

  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  for (let job = 0; job < 3; job += 1) sendgrid.nextJob('slow');
  const start = product.clock.now().getTime();
  let tries = 0;
  vi.spyOn(product.clock, 'wait').mockImplementation(async (ms) => {
    product.clock.advance({ seconds: ms / 1000 });
    await vi.advanceTimersByTimeAsync(ms);
    // By now the lease that was taken at the beginning has run out.
    if (product.clock.now().getTime() - start < 125_000 || tries > 0) return;
    tries += 1;
    const before = sendgrid.seen.length;
    await run(other);
    expect(sendgrid.seen.length).toBe(before);
  });
  await run(slow);
  expect(tries).toBe(1);
  const [moved, waiting] = await Promise.all(
    [slow, other].map(({ id }) => product.call(getDelivery, { params: { ...acme.params, id } }, acme.owner)),
  );
  expect(moved).toMatchObject({ status: 'arrived' });
  expect(waiting).toMatchObject({ status: 'waiting', attempt_count: 0 });
  expect(sendgrid.contact(email)?.values).toMatchObject({ external_id: 'crm-7' });

  // Any process can tell that the person was written, and when. An attempt is known by its last call.
  const wroteSince = (since: Date) =>
    product.services.database.readSite(acme.params.site_id, (site) =>
      wasWrittenSince(site, customer.id, { integrationId: integration_id, since }),
    );
  const endWith = (method: string) =>
    product.testDatabase.owner.query(
      `update delivery_attempts set request = jsonb_set(request, '{method}', to_jsonb($2::text)) where delivery_id = $1`,
      [slow.id, method],
    );
  await endWith('POST');
  expect(await wroteSince(new Date(start))).toBe(true);
  expect(await wroteSince(product.clock.now())).toBe(false);
  await endWith('GET');
  expect(await wroteSince(new Date(start))).toBe(false);
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
  const body = { provider: 'sendgrid', credentials: sendgrid.credentials };
  const { id: integrationId } = await product.call(
    createIntegration,
    { params: acme.params, body },
    acme.owner,
  );
  const place = { siteId: acme.params.site_id, integrationId, customerId: vera.id };
  expect(await withCustomerLease(product.services, place, async () => 'made')).toBe('made');
});
