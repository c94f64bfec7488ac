import { afterAll, beforeAll, expect, it } from 'vitest';
import { logIn } from '#contract/accounts.ts';
import { getActionFigures, getDashboard, getListFigures } from '#contract/dashboard.ts';
import { getDelivery, listDeliveries } from '#contract/deliveries.ts';
import { listSites } from '#contract/sites.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { createCrowd } from './crowd.ts';
import { DEMO_PASSWORD } from './demo.ts';

/** Large enough for ten deliveries a customer: by chance, a few people cause fewer. */
const PORTION = 100;
const CUSTOMERS = 2 * PORTION;

let product: TestProduct;
let said: string[];

beforeAll(async () => {
  product = await startTestProduct();
  said = [];
  await createCrowd(product.services, { customers: PORTION, say: (progress) => said.push(progress) });
});

afterAll(() => product.stop());

async function count(table: string): Promise<number> {
  const { rows } = await product.testDatabase.owner.query<{ count: number }>(
    `select count(*)::int as count from ${table}`,
  );
  return rows[0]?.count ?? 0;
}

it('the crowd has ten deliveries per customer, reports its progress, and resumes where it was stopped', async () => {
  expect(said).toEqual(['The crowd: 100 of 100 customers']);
  expect([await count('customers'), await count('deliveries')]).toEqual([PORTION, PORTION * 10]);
  const say = (progress: string) => said.push(progress);
  const printed = await createCrowd(product.services, { customers: CUSTOMERS, say });
  expect(printed).toContain('crowd');
  expect([await count('customers'), await count('deliveries')]).toEqual([CUSTOMERS, CUSTOMERS * 10]);
  await createCrowd(product.services, { customers: CUSTOMERS, say });
  expect(await count('customers')).toBe(CUSTOMERS);
  expect(await count('sites')).toBe(1);
});

it('the demo stops creating customers when asked to, and says that it will go on later', async () => {
  const stopping = new AbortController();
  stopping.abort();
  const printed = await createCrowd(product.services, {
    customers: CUSTOMERS + 1,
    say: (progress) => said.push(progress),
    signal: stopping.signal,
  });
  expect(printed).toBe('The crowd: 200 of 201 customers; the next start goes on from there.');
  expect(await count('customers')).toBe(CUSTOMERS);
});

it('the crowd can be signed in to, and its figures match its rows', async () => {
  const tokens = await product.call(logIn, { body: { username: 'crowd', password: DEMO_PASSWORD } });
  const owner = { token: tokens.access_token };
  const { organization_id } = tokens;
  const sites = await product.call(listSites, { params: { organization_id } }, owner);
  const params = { organization_id, site_id: sites.results[0]?.id ?? '' };
  const figures = await product.call(getDashboard, { params, query: { range: '12m' } }, owner);
  const { arrived, waiting, failed } = figures.deliveries;
  expect(figures.customers.total).toBe(CUSTOMERS);
  const chose = `choices where not (events = '{customer_created}' and lists = '[]')`;
  expect(figures.choices.now).toBe(await count(chose));
  expect(arrived + waiting + failed).toBe(await count('deliveries'));
  expect(figures.joins.now + figures.leaves.now).toBe(await count('subscription_changes'));
  const lists = await product.call(getListFigures, { params }, owner);
  expect(lists.results).toHaveLength(6);
  expect(lists.results.some(({ subscribers }) => subscribers > CUSTOMERS / 4)).toBe(true);
  const actions = await product.call(getActionFigures, { params }, owner);
  expect(actions.results).toHaveLength(19);
  const { results } = await product.call(listDeliveries, { params, query: { limit: 1 } }, owner);
  const newest = await product.call(getDelivery, { params: { ...params, id: results[0]?.id ?? '' } }, owner);
  expect(newest.attempts.length).toBe(newest.attempt_count);
});
