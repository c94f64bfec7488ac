import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyImport, checkImport } from '#contract/imports.ts';
import { createProduct, type Product } from '#server/product.ts';
import { csv, readImport, upload } from '#test/harness/imports.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildWorld, type World } from '#test/harness/world.ts';

const ROWS = 350;

let product: TestProduct;
let acme: World;

beforeAll(async () => {
  product = await startTestProduct();
  acme = await buildWorld(product);
});

afterAll(() => product.stop());

/** Another process of the product, on the same database. */
const startWorker = (): Promise<Product> =>
  createProduct({ ...product.services.config, port: 0 }, product.testDatabase.appUrl, {
    log: product.services.log,
    clock: product.clock,
    worker: true,
  });

const statusOf = async (id: string) => (await readImport(product, acme, id)).status;

it('workers take an import from its check to its end, even when each of them is stopped in between', async () => {
  const rows = Array.from({ length: ROWS }, (_, at) => `p${at}@example.com,yes`);
  const one = await upload(product, acme, csv('email,Weekly news', ...rows));
  const call = { params: { ...acme.params, id: one.id } };
  const mapping = { email: 'email', lists: [{ column: 'Weekly news', list_id: acme.weekly.id }] };
  const first = await startWorker();
  await product.call(checkImport, { ...call, body: { mapping } }, acme.owner);
  await expect.poll(() => statusOf(one.id)).toBe('checked');
  await product.call(applyImport, call, acme.owner);
  const appliedNow = async () => (await readImport(product, acme, one.id)).counts.applied;
  await expect.poll(appliedNow, { interval: 5 }).toBeGreaterThan(0);
  await first.stop();
  const half = await readImport(product, acme, one.id);
  const second = await startWorker();
  await expect.poll(() => statusOf(one.id)).toBe('finished');
  await second.stop();
  const done = await readImport(product, acme, one.id);
  expect(half.counts.applied).toBeLessThanOrEqual(done.counts.applied);
  expect(done.counts).toMatchObject({ applied: ROWS, added: ROWS });
  const made = await product.testDatabase.owner.query<{ choices: number; customers: number }>(
    `select count(*)::int as choices, count(distinct customer_id)::int as customers from choices where site_id = $1`,
    [acme.site.id],
  );
  expect(made.rows).toEqual([{ choices: 2 * ROWS, customers: ROWS }]);
}, 90_000);
