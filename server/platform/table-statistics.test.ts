import { afterAll, beforeAll, expect, it } from 'vitest';
import { addCustomer } from '#server/choices/choices/add-customer.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildWorld, ON_THE_PAGE } from '#test/harness/world.ts';
import { analyzeGrownTables } from './table-statistics.ts';

let product: TestProduct;

beforeAll(async () => {
  product = await startTestProduct();
});

afterAll(() => product.stop());

async function planOf(statement: string): Promise<string> {
  const { rows } = await product.testDatabase.owner.query<{ 'QUERY PLAN': string }>(`explain ${statement}`);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

it('a new database checks foreign keys by the key that they refer to, as soon as it has data', async () => {
  const { services } = product;
  const { site } = await buildWorld(product);
  await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      addCustomer(services, site.id, `person-${index}@example.com`, ON_THE_PAGE),
    ),
  );
  const key = `site_id = '${site.id}' and id = '${site.id}'`;
  const check = (table: string) => planOf(`select 1 from only ${table} where ${key} for key share`);
  // The server looks for itself every two seconds.
  await expect.poll(() => check('choices')).toContain('choices_pkey');
  await expect.poll(() => check('customers')).toContain('customers_pkey');
  expect(await analyzeGrownTables(services.database.global)).toBe(0);
});
