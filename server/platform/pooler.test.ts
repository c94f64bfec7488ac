import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#test/harness/database.ts';
import { openTransactionPooler } from '#test/harness/transaction-pooler.ts';
import { ConfigError } from './config.ts';
import { refuseSharedConnections } from './pooler.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

describe('the start', () => {
  it('the check accepts a database that gives each client a connection of its own', async () => {
    await expect(refuseSharedConnections(database.ownerUrl)).resolves.toBeUndefined();
  });

  it('is refused by a pooler that shares connections between transactions, with the setting and the fix', async () => {
    const pooler = await openTransactionPooler(database.ownerUrl);
    try {
      const refused = await refuseSharedConnections(pooler.url).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(ConfigError);
      expect((refused as Error).message).toMatch(/^DATABASE_URL: .*PgBouncer.*pool_mode = session/);
    } finally {
      await pooler.close();
    }
  });
});
