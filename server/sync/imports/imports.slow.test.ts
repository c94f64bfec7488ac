import { afterAll, beforeAll, expect, it } from 'vitest';
import { MAX_IMPORT_BYTES } from '#contract/imports.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildWorld, type World } from '#test/harness/world.ts';

let product: TestProduct;
let acme: World;

beforeAll(async () => {
  product = await startTestProduct();
  acme = await buildWorld(product);
});

afterAll(() => product.stop());

async function countOf(table: 'imports' | 'import_rows'): Promise<number> {
  const { rows } = await product.testDatabase.owner.query<{ count: number }>(
    `select count(*)::int as count from ${table} where site_id = $1`,
    [acme.site.id],
  );
  return rows[0]?.count ?? -1;
}

it('an upload of more than 50 MB that was not announced is rejected: 413, and nothing is stored', async () => {
  const row = `nora@example.com,${'x'.repeat(9000)}\n`;
  const large = `email,note\n${row.repeat(Math.ceil(MAX_IMPORT_BYTES / row.length) + 1)}`;
  const { organization_id, site_id } = acme.params;
  const path = `/api/core/v1/organizations/${organization_id}/sites/${site_id}/imports/files?file_name=a.csv`;
  const chunked = await fetch(`${product.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${acme.owner.token}`, 'content-type': 'text/csv' },
    body: new Blob([large]).stream(),
    duplex: 'half',
  } as RequestInit);
  expect(chunked.status).toBe(413);
  expect([await countOf('imports'), await countOf('import_rows')]).toEqual([0, 0]);
});
