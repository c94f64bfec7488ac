import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '#server/platform/database.ts';
import { createLog } from '#server/platform/log.ts';
import { createTestDatabase, type TestDatabase } from '#test/harness/database.ts';

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
});

afterAll(async () => {
  await testDatabase.drop();
});

it('a process that was held up while connecting connects again, and refuses nothing', async () => {
  const busy = openDatabase(testDatabase.appUrl, { log: createLog('silent') });
  try {
    const answer = busy.global.query('select 1 as one', []);
    await new Promise(setImmediate);
    const until = performance.now() + 1500;
    while (performance.now() < until);
    expect((await answer).rows).toEqual([{ one: 1 }]);
  } finally {
    await busy.close();
  }
});
