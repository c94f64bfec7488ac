import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest';
import { getBulkChange, previewUndo, startUndo } from '#contract/bulk-changes.ts';
import { applyImport, checkImport } from '#contract/imports.ts';
import { storedStates } from '#test/harness/bulk-undos.ts';
import { createTestDatabase, type TestDatabase } from '#test/harness/database.ts';
import { csv, readImport, upload } from '#test/harness/imports.ts';
import { type Calls, callsTo } from '#test/harness/product.ts';
import { type ProductProcess, startProductProcess } from '#test/harness/product-process.ts';
import { buildWorld, type World } from '#test/harness/world.ts';

/*
 * An import and its undo whose process is killed with `kill -9` in the middle of each: when another process has finished
 * them, everyone is where the file puts them, and then where they were before, and nothing was done twice.
 */

const PEOPLE = 600;
/** After this many customers; the rest are still to come. */
const KILLED_AFTER = 150;
/** The job of a killed process goes on when its heartbeat is missed. */
const PATIENCE = { timeout: 120_000 };

let database: TestDatabase;
let product: ProductProcess;
let calls: Calls;
let world: World;

beforeAll(async () => {
  database = await createTestDatabase();
  product = await startProductProcess({
    keepAlive: true,
    env: { DATABASE_URL: database.ownerUrl, SECRET_KEY: inject('secretKey') },
  });
  await product.untilReady();
  calls = callsTo(product.url);
  world = await buildWorld(calls);
});

afterEach(({ task }) => {
  if (task.result?.state === 'fail') console.error(product.output().slice(-5000));
});

afterAll(async () => {
  await product.stop();
  await database.drop();
});

const emails = Array.from({ length: PEOPLE }, (_, at) => `person-${at}@example.com`);

/** Starts to apply a file of two columns, one for each list. @param listIds what the columns are taken for */
async function startImport(listIds: [string, string]): Promise<string> {
  const rows = emails.map((email, at) => `${email},${['yes,no', 'no,yes', 'yes,yes'][at % 3]}`);
  const { id } = await upload(calls, world, csv('email,Weekly,Offers', ...rows));
  const params = { ...world.params, id };
  const [first, second] = listIds;
  const lists = [
    { column: 'Weekly', list_id: first },
    { column: 'Offers', list_id: second },
  ];
  const body = { mapping: { email: 'email', lists }, options: { revive: true } };
  await calls.call(checkImport, { params, body }, world.owner);
  await untilImport(id, 'checked');
  await calls.call(applyImport, { params }, world.owner);
  return id;
}

/** No answer while the process is away. */
async function untilImport(id: string, status: string): Promise<void> {
  const read = () => readImport(calls, world, id).catch(() => null);
  await expect.poll(async () => (await read())?.status, PATIENCE).toBe(status);
}

async function untilUndo(id: string, status: string): Promise<void> {
  const params = { ...world.params, id };
  const read = () => calls.call(getBulkChange, { params }, world.owner).catch(() => null);
  await expect.poll(async () => (await read())?.undo?.status, PATIENCE).toBe(status);
}

interface Applying {
  /** Its rows say when they were applied. */
  table: 'import_rows' | 'bulk_undo_customers';
  column: 'import_id' | 'undo_id';
  id: string;
  total: number;
}

async function killMidway({ table, column, id, total }: Applying): Promise<void> {
  const applied = async () => {
    const { rows } = await database.owner.query<{ count: number }>(
      `select count(applied_at)::int as count from ${table} where site_id = $1 and ${column} = $2`,
      [world.site.id, id],
    );
    return rows[0]?.count ?? 0;
  };
  while ((await applied()) < KILLED_AFTER) await sleep(5);
  product.killServer();
  expect(await applied()).toBeLessThan(total);
}

/** How many choices customers have, and of how many their numbers have a gap or come twice. */
async function recorded(): Promise<{ choices: number; broken: number }> {
  const { rows } = await database.owner.query<{ choices: number; broken: number }>(
    `select sum(count)::int as choices, (count(*) filter (where last <> count))::int as broken
     from (select count(*), max(sequence) as last from choices where site_id = $1 group by customer_id) c`,
    [world.site.id],
  );
  return rows[0] ?? expect.unreachable();
}

it('an import and its undo, each killed in the middle, are finished without doing anything twice', async () => {
  const { weekly, offers } = world;
  await untilImport(await startImport([weekly.id, offers.id]), 'finished');
  const before = await storedStates(database.owner, world.site.id);
  expect(before.size).toBe(PEOPLE);
  const first = await recorded();
  expect(first.broken).toBe(0);

  const wrong = await startImport([offers.id, weekly.id]);
  await killMidway({ table: 'import_rows', column: 'import_id', id: wrong, total: PEOPLE });
  await untilImport(wrong, 'finished');
  // Who receives both lists receives both either way.
  const changed = emails.filter((_, at) => at % 3 < 2);
  const imported = await storedStates(database.owner, world.site.id);
  expect(emails.filter((email) => imported.get(email) !== before.get(email))).toEqual(changed);
  expect(await recorded()).toEqual({ choices: first.choices + changed.length, broken: 0 });

  const params = { ...world.params, id: wrong };
  await calls.call(previewUndo, { params }, world.owner);
  await untilUndo(wrong, 'checked');
  const { undo } = await calls.call(getBulkChange, { params }, world.owner);
  const body = { unsubscribes: undo?.counts.unsubscribes ?? 0 };
  await calls.call(startUndo, { params, body }, world.owner);
  await killMidway({ table: 'bulk_undo_customers', column: 'undo_id', id: wrong, total: changed.length });
  await untilUndo(wrong, 'finished');
  const restored = await storedStates(database.owner, world.site.id);
  expect(emails.filter((email) => restored.get(email) !== before.get(email))).toEqual([]);
  expect(await recorded()).toEqual({ choices: first.choices + 2 * changed.length, broken: 0 });
  expect(product.starts()).toBe(3);
});
