import { afterAll, beforeAll, expect, it } from 'vitest';
import { logIn } from '#contract/accounts.ts';
import { listEvidence } from '#contract/choices.ts';
import { listCustomers } from '#contract/customers.ts';
import { getDashboard } from '#contract/dashboard.ts';
import { listSites } from '#contract/sites.ts';
import { checkSite } from '#server/audience/evidence-checks/evidence-checks.ts';
import { recountSite } from '#server/audience/counters/counters.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { DEMO_PASSWORD } from './demo.ts';
import { readAsked } from './asked.ts';
import { createManySites } from './many-sites.ts';
import { createMillions } from './millions.ts';
import { requireRoom } from './room.ts';

let product: TestProduct;
const said: string[] = [];

beforeAll(async () => {
  product = await startTestProduct();
});

afterAll(() => product.stop());

const say = (progress: string) => void said.push(progress);

async function count(table: string): Promise<number> {
  const { rows } = await product.testDatabase.owner.query<{ count: number }>(
    `select count(*)::int as count from ${table}`,
  );
  return rows[0]?.count ?? 0;
}

const make = (customers: number, signal?: AbortSignal) =>
  createMillions(product.services, {
    customers,
    ownerUrl: product.testDatabase.ownerUrl,
    say,
    signal,
    portion: 50,
  });

it('the generator writes whole portions, can be stopped, and continues after the last one', async () => {
  const stopping = new AbortController();
  const printed = await createMillions(product.services, {
    customers: 1000,
    ownerUrl: product.testDatabase.ownerUrl,
    say,
    signal: stopping.signal,
    portion: 50,
    onPortion: () => stopping.abort(),
  });
  const made = await count('customers');
  expect(made % 50).toBe(0);
  expect(made).toBeGreaterThan(0);
  expect(made).toBeLessThan(1000);
  expect(printed).toBe(`The crowd: ${made} of 1,000 customers; the next start goes on from there.`);

  expect(await make(made + 130)).toContain('millions');
  expect(await count('customers')).toBe(made + 130);
  expect(said.at(-1)).toBe(`The crowd: ${made + 130} of ${made + 130} customers`);
  await make(made);
  expect(await count('customers')).toBe(made + 130);
  expect(await count('sites')).toBe(1);
});

it('the generator writes what the product would: chains that verify, correct counters, one choice for ten', async () => {
  const tokens = await product.call(logIn, { body: { username: 'millions', password: DEMO_PASSWORD } });
  const owner = { token: tokens.access_token };
  const { organization_id } = tokens;
  const sites = await product.call(listSites, { params: { organization_id } }, owner);
  const params = { organization_id, site_id: sites.results[0]?.id ?? '' };
  const customers = await count('customers');
  const choices = await count('choices where sequence = 2');
  expect(choices).toBe(Math.ceil(customers / 10));

  const { broken, records } = await checkSite(product.services, params.site_id);
  expect({ broken, records }).toEqual({ broken: 0, records: 2 * choices });
  expect(await recountSite(product.services, params.site_id, new Date(0))).toEqual([]);
  const figures = await product.call(getDashboard, { params, query: { range: '12m' } }, owner);
  expect(figures.customers.total).toBe(customers);

  const evidence = await product.call(listEvidence, { params, query: { chose: 'true', limit: 1 } }, owner);
  const email = evidence.results[0]?.email ?? '';
  const found = await product.call(listCustomers, { params, query: { search: email } }, owner);
  expect(found.results.map((one) => one.id)).toEqual([evidence.results[0]?.customer_id]);
  expect(await count('deliveries')).toBeGreaterThan(choices / 2);
});

it('the generator creates sites with a host and customers each, and none twice', async () => {
  const { ownerUrl } = product.testDatabase;
  const before = await count('customers');
  for (const sites of [2, 3, 3]) {
    const printed = await createManySites(product.services, { sites, ownerUrl, say });
    expect(printed).toContain(`${sites} sites with 100 customers each`);
  }
  expect(await count('customers')).toBe(before + 300);
  expect(await count(`host_names where host like 'site-%'`)).toBe(3);
  expect(await count('choices where sequence = 2 and source is not null')).toBeGreaterThan(30);
  const page = await fetch(`${product.url}/api/customer/v1/preferences/preferences`, {
    headers: { 'x-site-domain': 'site-3.localhost' },
  });
  expect(page.status).toBe(200);
});

it('the generator refuses without one and a half times the space, and says how much that is', async () => {
  const refused = make(1_000_000_000_000_000);
  await expect(refused).rejects.toThrow(
    /^DATA_DIR: [\d,]+ customers need [\d,.]+ GB, and one and a half times that must be free: [\d,.]+ GB\. The disk of \S+ has [\d,.]+ GB\. Free some space, set DATA_DIR to a folder on a larger disk, or ask for fewer customers/,
  );
  const { dataDir } = product.services.config;
  const wanted = { what: '2 customers need', smaller: 'ask for fewer' };
  await requireRoom({ dataDir, databaseUrl: '' }, { ...wanted, bytes: 1 });
  // Of a database elsewhere nobody can tell.
  await requireRoom({ dataDir, databaseUrl: 'postgres://elsewhere/' }, { ...wanted, bytes: 1e18 });
});

it('the generator reads the requested numbers, and says which ones can be used', () => {
  expect(readAsked(['--demo'])).toEqual({ crowd: false, customers: 0, sites: 0 });
  expect(readAsked(['--demo', 'crowd'])).toEqual({ crowd: true, customers: 0, sites: 0 });
  expect(readAsked(['crowd=10000000', 'sites=10000'])).toEqual({
    crowd: false,
    customers: 10_000_000,
    sites: 10_000,
  });
  for (const wrong of ['crowd=0', 'crowd=many', 'crowd=1.5', 'crowd=10000001', 'sites=', 'sites=10001']) {
    expect(() => readAsked([wrong])).toThrow(/Use a whole number from 1 to/);
  }
});
