import { Kysely, PostgresDialect } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApiKey } from '#contract/api-keys.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildWorld, type World } from '#test/harness/world.ts';
import * as keyMakers from './0024-key-makers.ts';

let product: TestProduct;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
});

afterAll(() => product.stop());

it('tells keys from before it whose they are, where the account is still there', async () => {
  const body = { name: 'Shop', scopes: ['read' as const] };
  await product.call(createApiKey, { params: world.params, body }, world.owner);
  const orphan = await product.call(createApiKey, { params: world.params, body }, world.owner);
  const pool = product.testDatabase.owner;
  await pool.query('update api_keys set created_by = gen_random_uuid() where id = $1', [orphan.id]);
  await pool.query('alter table api_keys drop column created_by_name, drop column created_by_email');

  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  await db.transaction().execute(keyMakers.up);

  const { rows } = await pool.query(
    'select created_by_name, created_by_email from api_keys order by created_by_name nulls last',
  );
  const { username, email } = world.owner;
  expect(rows).toEqual([
    { created_by_name: username, created_by_email: email },
    { created_by_name: null, created_by_email: null },
  ]);
  const table = await pool.query(`select relforcerowsecurity from pg_class where relname = 'api_keys'`);
  expect(table.rows).toEqual([{ relforcerowsecurity: true }]);
});
