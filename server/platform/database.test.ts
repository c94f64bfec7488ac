import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#test/harness/database.ts';
import { type Database, type GlobalDb, openDatabase } from './database.ts';
import { createLog } from './log.ts';

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.appUrl, { log: createLog('silent') });
  await testDatabase.owner.query(
    `insert into tool_rate_limits (account, next_slot_at, slowdown) values ('one', now(), 1), ('two', now(), 1)`,
  );
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

it('transactions in a deadlock are both made, one after the other', async () => {
  const met = Promise.withResolvers<void>();
  let arrived = 0;
  const slowDown = (tx: GlobalDb, account: string) =>
    tx.query('update tool_rate_limits set slowdown = slowdown + 1 where account = $1', [account]);
  const both = (first: string, second: string) =>
    database.inTransaction(async (tx) => {
      await slowDown(tx, first);
      arrived += 1;
      if (arrived === 2) met.resolve();
      await met.promise;
      await slowDown(tx, second);
    });
  await Promise.all([both('one', 'two'), both('two', 'one')]);
  const { rows } = await testDatabase.owner.query(
    'select account, slowdown from tool_rate_limits order by 1',
  );
  expect(rows.map(({ account, slowdown }) => [account, Number(slowdown)])).toEqual([
    ['one', 3],
    ['two', 3],
  ]);
  expect(arrived).toBe(3);
});
