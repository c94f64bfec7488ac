import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { appRole } from '#server/platform/migrate.ts';
import { createKeyring } from '#server/platform/secrets.ts';
import { copyDatabase, dropDatabase, inDatabase } from './nodes.ts';
import { recordStatements, refuseBrokenRules } from './recorded-statements.ts';

export interface TestDatabase {
  name: string;
  /** Connection of the role that owns the tables (and, here, may do everything). */
  ownerUrl: string;
  /** Connection of the server's own role. */
  appUrl: string;
  /** Looks past row-level security, to check rows. */
  owner: pg.Pool;
  drop(): Promise<void>;
}

/**
 * A copy of the migrated template, for one test file. `drop` fails when the product sent it what Citus would refuse.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `sayso_test_${randomBytes(6).toString('hex')}`;
  await copyDatabase(inject('ownerUrl'), inject('templateName'), name);
  const ownerUrl = inDatabase(inject('ownerUrl'), name);
  const role = appRole(createKeyring([inject('secretKey')]));
  const appUrl = new URL(ownerUrl);
  appUrl.username = role.name;
  appUrl.password = role.password;
  const owner = new pg.Pool({ connectionString: ownerUrl, max: 3 });
  owner.on('error', () => {});
  recordStatements(name);
  return {
    name,
    ownerUrl,
    appUrl: appUrl.href,
    owner,
    async drop() {
      await owner.end();
      await dropDatabase(inject('ownerUrl'), name);
      refuseBrokenRules(name, inject('catalog'));
    },
  };
}
