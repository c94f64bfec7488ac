import { Kysely, PostgresDialect } from 'kysely';
import type { PoolClient } from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addCustomer } from '#server/choices/choices/add-customer.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildSite, buildWorld, ON_THE_PAGE } from '#test/harness/world.ts';
import { insertPeople } from '#test/load/bench-site.ts';
import { MIGRATIONS } from './migrate.ts';
import { analyzeGrownTables } from './table-statistics.ts';

let product: TestProduct;

// One for each test: the tables must never have had data.
beforeEach(async () => {
  product = await startTestProduct();
});

afterEach(() => product.stop());

async function planOf(statement: string): Promise<string> {
  const { rows } = await product.testDatabase.owner.query<{ 'QUERY PLAN': string }>(`explain ${statement}`);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

async function insertTwoThousand(client: PoolClient, siteId: string): Promise<void> {
  await client.query(
    `insert into customers (site_id, id, email, email_key, global_unsubscribe, sequence, created_at, updated_at)
     select $1, gen_random_uuid(), person, person, false, 0, now(), now()
     from (select 'p' || n || '@example.com' as person from generate_series(1, 2000) as n) as people`,
    [siteId],
  );
}

/** Commits, and reports the rows at once: the counters would wait until the connection has been idle for ten seconds. */
async function commit(client: PoolClient): Promise<void> {
  await client.query('commit');
  await client.query('select pg_stat_force_next_flush()');
}

/** What a foreign key asks its table for each row. */
const foreignKeyCheck = (table: string, siteId: string) =>
  `select 1 from only ${table} where site_id = '${siteId}' and id = '${siteId}'`;

it('a large transaction checks foreign keys by the key that they refer to, although its rows are not committed', async () => {
  const { global } = product.services.database;
  const { site } = await buildWorld(product);
  const client = await product.testDatabase.owner.connect();
  try {
    await client.query('begin');
    await insertTwoThousand(client, site.id);
    await analyzeGrownTables(global);
    const { rows: plan } = await client.query(`explain ${foreignKeyCheck('customers', site.id)}`);
    expect(JSON.stringify(plan)).toContain('customers_pkey');
    await commit(client);
  } finally {
    client.release(true);
  }
  await expect.poll(() => planOf('select * from customers')).toContain('rows=2000');
});

it('a table that was analyzed during a large transaction is analyzed again after it', async () => {
  const { owner } = product.testDatabase;
  const { site } = await buildWorld(product);
  await addCustomer(product.services, site.id, 'person@example.com', ON_THE_PAGE);
  const client = await owner.connect();
  try {
    await client.query('begin');
    await insertTwoThousand(client, site.id);
    await owner.query('analyze customers');
    expect(await planOf('select * from customers')).toContain('rows=1 ');
    await commit(client);
  } finally {
    client.release(true);
  }
  await expect.poll(() => planOf('select * from customers')).toContain('rows=2001');
});

it('a new database checks foreign keys by the key that they refer to, as soon as it has a few hundred rows', async () => {
  const { services } = product;
  const { site } = await buildWorld(product);
  await Promise.all(
    Array.from({ length: 1000 }, (_, index) =>
      addCustomer(services, site.id, `person-${index}@example.com`, ON_THE_PAGE),
    ),
  );
  const check = (table: string) => planOf(`${foreignKeyCheck(table, site.id)} for key share`);
  // The server looks for itself every two seconds.
  await expect.poll(() => check('choices')).toContain('choices_pkey');
  await expect.poll(() => check('customers')).toContain('customers_pkey');
  // Other connections report what they wrote some seconds later.
  await expect.poll(() => analyzeGrownTables(services.database.global)).toBe(0);
});

/** How many rows the planner expects of a site. */
async function expectedOf(siteId: string): Promise<number> {
  const plan = await planOf(`select * from customers where site_id = '${siteId}'`);
  return Number(/rows=(\d+)/.exec(plan)?.[1]);
}

/** As from a database in which all sites were known, until another one came. */
async function addPeopleOfNewSite(): Promise<string> {
  const { testDatabase } = product;
  const known = await buildWorld(product);
  await testDatabase.owner.query('alter table customers set (autovacuum_enabled = false)');
  await insertPeople(testDatabase.owner, known.site.id, 3000);
  await testDatabase.owner.query('analyze customers');
  const { site } = await buildSite(product, known.owner, known.params.organization_id);
  await insertPeople(testDatabase.owner, site.id, 1000);
  return site.id;
}

it('a site that came after the last ANALYZE is expected to have more than one row', async () => {
  expect(await expectedOf(await addPeopleOfNewSite())).toBeGreaterThan(10);
});

it('an upgrade deletes the statistics about sites, and no more are gathered', async () => {
  const { owner } = product.testDatabase;
  await owner.query('alter table customers alter column site_id set statistics -1');
  const siteId = await addPeopleOfNewSite();
  expect(await expectedOf(siteId)).toBe(1);
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: owner }) });
  await MIGRATIONS['0015-no-site-statistics'].up(db);
  expect(await expectedOf(siteId)).toBeGreaterThan(10);
  await owner.query('analyze customers');
  const { rows } = await owner.query(
    `select attname from pg_stats where tablename = 'customers' and attname in ('site_id', 'email')`,
  );
  expect(rows).toEqual([{ attname: 'email' }]);
});
