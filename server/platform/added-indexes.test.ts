import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#test/harness/database.ts';
import { ADDED_INDEXES, buildAddedIndexes } from './added-indexes.ts';

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});

afterEach(() => database.drop());

const NAMES = ADDED_INDEXES.map(({ name }) => name);
const [FIRST = ''] = NAMES;

async function validOnes(): Promise<string[]> {
  const { rows } = await database.owner.query<{ name: string }>(
    `select indexrelid::regclass::text as name from pg_index where indisvalid and indexrelid::regclass::text = any($1)`,
    [NAMES],
  );
  return rows.map(({ name }) => name).toSorted((a, b) => NAMES.indexOf(a) - NAMES.indexOf(b));
}

it('added indexes exist after the migrations, and are created again where one is missing or incomplete', async () => {
  expect(await validOnes()).toEqual(NAMES);
  await database.owner.query(`drop index ${NAMES.at(-1)}`);
  await database.owner.query('update pg_index set indisvalid = false where indexrelid = $1::regclass', [
    FIRST,
  ]);
  expect(await validOnes()).toEqual(NAMES.slice(1, -1));

  expect(await buildAddedIndexes(database.ownerUrl)).toEqual([]);
  expect(await validOnes()).toEqual(NAMES);
});

it('added indexes are built without blocking writes, by one of several starting processes', async () => {
  for (const name of NAMES) await database.owner.query(`drop index ${name}`);
  const open = new pg.Client({ connectionString: database.ownerUrl });
  await open.connect();
  await open.query('begin');
  await open.query('lock table choices in row exclusive mode');

  let isBuilt = false;
  const built = buildAddedIndexes(database.ownerUrl).then((left) => {
    isBuilt = true;
    return left;
  });
  const waiting = `select count(*)::int as count from pg_stat_activity
    where datname = current_database() and query like 'create index concurrently%' and wait_event_type = 'Lock'`;
  const isWaiting = async () => (await database.owner.query<{ count: number }>(waiting)).rows[0]?.count === 1;
  await expect.poll(isWaiting).toBe(true);
  // A save would take the same lock; behind an ordinary "create index" it would wait.
  await database.owner.query(
    `begin; set local lock_timeout = '2s'; lock table choices in row exclusive mode; commit`,
  );
  expect(await buildAddedIndexes(database.ownerUrl), 'another one that starts meanwhile').toEqual([]);
  expect(isBuilt).toBe(false);

  await open.query('commit');
  await open.end();
  expect(await built).toEqual([]);
  expect(await validOnes()).toEqual(NAMES);
});
