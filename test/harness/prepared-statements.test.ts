import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { refusedStatements } from './prepared-statements.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

it('statements that a version of PostgreSQL does not know are reported, and none is run', async () => {
  const unknown = 'select newer_than_this($1)';
  const deleted = 'delete from organizations returning organization_id';
  const refused = await refusedStatements(database.ownerUrl, [
    'set local search_path to public',
    'select id from lists where site_id = $1',
    deleted,
    unknown,
  ]);
  expect(refused.map(({ statement }) => statement)).toEqual([deleted, unknown]);
  expect(refused[1]?.message).toContain('newer_than_this');
});
