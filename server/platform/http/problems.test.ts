import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#test/harness/database.ts';
import { toAppError } from './problems.ts';

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
});

afterAll(() => testDatabase.drop());

/** What PostgreSQL says to one of two transactions that wait for each other. */
async function deadlock(): Promise<unknown> {
  await testDatabase.owner.query(
    `insert into tool_rate_limits (account, next_slot_at, slowdown) values ('one', now(), 1), ('two', now(), 1)`,
  );
  const clients = await Promise.all(
    [1, 2].map(async () => {
      const client = new pg.Client({ connectionString: testDatabase.ownerUrl });
      await client.connect();
      await client.query('begin');
      return client;
    }),
  );
  const lock = (client: pg.Client | undefined, account: string) =>
    client?.query('select 1 from tool_rate_limits where account = $1 for update', [account]);
  try {
    await Promise.all([lock(clients[0], 'one'), lock(clients[1], 'two')]);
    // The other one goes on as soon as this one is rolled back.
    return await Promise.all([lock(clients[0], 'two'), lock(clients[1], 'one')]).catch(
      (error: unknown) => error,
    );
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

it('a deadlock at every attempt asks the caller to retry', async () => {
  expect(toAppError(await deadlock())).toMatchObject({
    code: 'unavailable',
    retryAfterSeconds: 1,
    message: 'Others are changing the same data right now, so nothing was saved. Try again.',
  });
});
