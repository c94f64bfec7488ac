import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAction } from '#contract/actions.ts';
import { type Customer, deleteCustomer, setCustomerLists } from '#contract/customers.ts';
import { type DeliveryDetail, getDelivery, listDeliveries } from '#contract/deliveries.ts';
import { createIntegration, getIntegration } from '#contract/integrations.ts';
import { deliveriesWithChoices } from '#server/delivery/deliveries/deliveries.sql.ts';
import { type BrevoFake, startBrevoFake } from '#test/fakes/tools/brevo.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { refuseAttemptsOf } from '#test/harness/refused-rows.ts';
import { buildCustomer, buildSite, buildWorld, type World } from '#test/harness/world.ts';
import { deliverLeased } from './deliveries.jobs.ts';

/** The tool's own limit leaves room to read back so many at once. */
const PEOPLE = 8;

let product: TestProduct;
let brevo: BrevoFake;
let world: World;
let acme: World;
let integrationId: string;
let target: { id: string; name: string };

beforeAll(async () => {
  brevo = await startBrevoFake();
  product = await startTestProduct({ env: { CONNECTOR_BREVO_URL: brevo.url } });
  world = await buildWorld(product);
});

afterAll(async () => {
  await product.stop();
  await brevo.close();
});

beforeEach(async () => {
  await product.testDatabase.owner.query('delete from rate_limits');
  acme = await buildSite(product, world.owner, world.params.organization_id);
  const body = { provider: 'brevo', credentials: brevo.credentials };
  integrationId = (await product.call(createIntegration, { params: acme.params, body }, acme.owner)).id;
  const [list] = brevo.addResources('lists', 1);
  if (list === undefined) throw new Error('The fake made no list');
  target = list;
  await tie('subscribed', 'add');
  await tie('unsubscribed', 'remove');
});

const tie = (event: 'subscribed' | 'unsubscribed', operation: 'add' | 'remove') =>
  product.call(
    createAction,
    {
      params: acme.params,
      body: {
        type: 'list',
        name: `Tell Brevo (${operation})`,
        integration_id: integrationId,
        trigger: { event, list_ids: [acme.weekly.id] },
        target,
        operation,
      },
    },
    acme.owner,
  );

const choose = (customer: Customer, subscribed: boolean) =>
  product.call(
    setCustomerLists,
    {
      params: { ...acme.params, id: customer.id },
      body: [{ notification_list_id: acme.weekly.id, subscribed }],
    },
    acme.owner,
  );

/** The log of this site, oldest first. */
async function log(): Promise<DeliveryDetail[]> {
  const query = { limit: 100 };
  const { results } = await product.call(listDeliveries, { params: acme.params, query }, acme.owner);
  return Promise.all(
    results
      .toReversed()
      .map(({ id }) => product.call(getDelivery, { params: { ...acme.params, id } }, acme.owner)),
  );
}

/** Makes everything that waits at once, as a worker that has leased it. */
async function deliverWaiting(): Promise<DeliveryDetail[]> {
  await product.testDatabase.owner.query('delete from tool_rate_limits');
  const ids = (await log()).filter(({ status }) => status === 'waiting').map(({ id }) => id);
  const siteId = acme.params.site_id;
  const rows = await product.services.database.readOnce(siteId, (db) =>
    deliveriesWithChoices(db, siteId, ids),
  );
  const leasedAt = performance.now();
  await deliverLeased(
    product.services,
    rows.map((row) => ({ siteId, receiver: integrationId, isTool: true, row, leasedAt })),
  );
  return log();
}

/** Until nobody waits: the tool's limit sends some away. */
async function deliverAll(): Promise<DeliveryDetail[]> {
  for (;;) {
    const all = await deliverWaiting();
    if (all.every(({ status }) => status !== 'waiting')) return all;
  }
}

/** People who are on the list here and there, and leave it here. */
async function peopleWhoLeave(count = PEOPLE): Promise<Customer[]> {
  const people = await Promise.all(Array.from({ length: count }, () => buildCustomer(product, acme)));
  for (const customer of people) await choose(customer, true);
  await deliverAll();
  await product.testDatabase.owner.query('delete from deliveries where site_id = $1', [acme.params.site_id]);
  for (const customer of people) await choose(customer, false);
  brevo.seen.length = 0;
  return people;
}

describe('people who leave a list', () => {
  it('are removed in the tool by one call, and each is read back', async () => {
    const people = await peopleWhoLeave();
    const done = await deliverWaiting();
    expect(done.map(({ outcome }) => outcome)).toEqual(people.map(() => 'confirmed'));
    for (const { email } of people) expect(brevo.holds(email)?.lists).toEqual([]);
    const writes = brevo.seen.filter(({ method }) => method !== 'GET');
    expect(writes).toHaveLength(1);
    expect(brevo.seen).toHaveLength(1 + PEOPLE);
  });

  it('see nothing about each other in the log', async () => {
    const people = await peopleWhoLeave(5);
    for (const delivery of await deliverWaiting()) {
      const kept = JSON.stringify(delivery.attempts);
      const named = people.filter(({ email }) => kept.includes(email));
      expect(named.map(({ id }) => id)).toEqual([delivery.customer_id]);
      expect(delivery.attempts[0]?.request.body).toContain('"people_in_this_call":5');
    }
  });

  it('and are erased or come back meanwhile are left alone', async () => {
    const [erased, back, ...others] = await peopleWhoLeave(5);
    if (erased === undefined || back === undefined) throw new Error('There are no people');
    await product.call(deleteCustomer, { params: { ...acme.params, id: erased.id } }, acme.owner);
    await choose(back, true);
    const done = await deliverWaiting();
    const outcomesOf = (id: string) => done.filter((one) => one.customer_id === id).map((one) => one.outcome);
    expect(outcomesOf(erased.id)).toEqual(['erased']);
    expect(outcomesOf(back.id)).toEqual(['overtaken', 'confirmed']);
    expect(brevo.holds(back.email)?.lists).toEqual([target.id]);
    for (const { id } of others) expect(outcomesOf(id)).toEqual(['confirmed']);
  });

  it('are removed except one whom another delivery has locked, who is retried', async () => {
    const [busy, ...others] = await peopleWhoLeave(4);
    if (busy === undefined) throw new Error('There is nobody');
    await product.testDatabase.owner.query('insert into customer_leases values ($1, $2, $3, $4, $5)', [
      acme.params.site_id,
      integrationId,
      busy.id,
      busy.id,
      new Date(product.clock.now().getTime() + 60_000),
    ]);
    const done = await deliverWaiting();
    expect(done.find((one) => one.customer_id === busy.id)).toMatchObject({
      status: 'waiting',
      attempt_count: 0,
    });
    expect(brevo.holds(busy.email)?.lists).toEqual([target.id]);
    for (const { email } of others) expect(brevo.holds(email)?.lists).toEqual([]);
  });

  it('are all recorded, except one whom the database refuses, who is retried', async () => {
    await peopleWhoLeave(5);
    const [refused] = (await log()).slice(2);
    if (refused === undefined) throw new Error('There is nobody');
    await refuseAttemptsOf(product, [refused.id]);
    const done = await deliverWaiting();
    const [left, others] = [
      done.filter(({ id }) => id === refused.id),
      done.filter(({ id }) => id !== refused.id),
    ];
    expect(others.map(({ outcome }) => outcome)).toEqual(Array(4).fill('confirmed'));
    expect(left).toMatchObject([{ outcome: 'retrying', attempt_count: 1 }]);
    expect(left[0]?.last_error).toContain('could not be recorded');
  });
});

describe('a tool that fails for a batch', () => {
  it('has failed once: one delivery records it, the others wait without using an attempt', async () => {
    await peopleWhoLeave(6);
    brevo.trouble({ status: 500, body: '{}' });
    const after = await deliverWaiting();
    expect(after.map(({ status }) => status)).toEqual(after.map(() => 'waiting'));
    expect(after.map(({ attempt_count: count }) => count).toSorted()).toEqual([0, 0, 0, 0, 0, 1]);
    const { rows } = await product.testDatabase.owner.query(
      'select consecutive_failures from integrations where id = $1',
      [integrationId],
    );
    expect(rows).toEqual([{ consecutive_failures: 1 }]);
  });

  it('by rejecting the credentials is reported to its owners; then everybody arrives', async () => {
    const people = await peopleWhoLeave(3);
    brevo.trouble({ status: 401, body: '{"code":"unauthorized","message":"Key not found"}' });
    expect((await deliverWaiting()).every(({ status }) => status === 'waiting')).toBe(true);
    const params = { ...acme.params, id: integrationId };
    expect(await product.call(getIntegration, { params }, acme.owner)).toMatchObject({
      status: 'credentials_refused',
    });
    const done = await deliverAll();
    expect(done.map(({ status }) => status)).toEqual(people.map(() => 'arrived'));
    expect(await product.call(getIntegration, { params }, acme.owner)).toMatchObject({ status: 'connected' });
  });

  it('by refusing it is called for each person alone', async () => {
    const people = await peopleWhoLeave(3);
    brevo.trouble({ status: 400, body: '{"code":"invalid_parameter","message":"No"}' });
    const done = await deliverAll();
    expect(done.map(({ status }) => status)).toEqual(people.map(() => 'arrived'));
    for (const { email } of people) expect(brevo.holds(email)?.lists).toEqual([]);
  });
});
