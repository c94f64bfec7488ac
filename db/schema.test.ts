import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#test/harness/database.ts';
import { isOnCitus } from '#test/harness/nodes.ts';
import { describeSchema } from './describe-schema.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

const FORCED = 'alter table lists force row level security;';

/** Citus makes some tables a second time, so their order differs, and nothing is forced there. */
function asOnCitus(schema: string): string {
  const withoutForce = schema.replaceAll(/^alter table \w+ force row level security;\n/gm, '');
  return withoutForce.trim().split('\n\n').toSorted().join('\n\n');
}

describe('db/schema.sql', () => {
  it('matches the migrations', async () => {
    const checkedIn = await readFile(join(import.meta.dirname, 'schema.sql'), 'utf8');
    const made = await describeSchema(database.owner);
    const here = isOnCitus ? asOnCitus : (text: string) => text;
    expect(here(made), 'db/schema.sql is out of date: run "npm run schema" and look at the diff').toBe(
      here(checkedIn),
    );
  });

  it('shows what is added, changed and removed', async () => {
    const before = (await describeSchema(database.owner)).split('\n');
    for (const statement of [
      'alter table lists add column shown_first boolean not null default false',
      'alter table members drop constraint members_role_check',
      'create index lists_name_idx on lists (site_id, name) where default_state',
      'alter table lists no force row level security',
      'drop policy customers_site on customers',
    ]) {
      await database.owner.query(statement);
    }
    const after = (await describeSchema(database.owner)).split('\n');
    expect(after.filter((line) => !before.includes(line))).toEqual([
      '  shown_first boolean not null default false,',
      'create index lists_name_idx on lists (site_id, name) where default_state;',
    ]);
    expect(before.filter((line) => !after.includes(line))).toEqual([
      expect.stringContaining('constraint members_role_check check '),
      ...(isOnCitus ? [] : [FORCED]),
      expect.stringContaining('create policy customers_site on customers using '),
    ]);
  });
});
