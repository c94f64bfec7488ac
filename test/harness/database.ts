import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { appRole } from '#server/platform/migrate.ts';
import { createKeyring } from '#server/platform/secrets.ts';
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
  const admin = new pg.Client({ connectionString: inject('ownerUrl') });
  await admin.connect();
  // Two files may copy at once; PostgreSQL refuses a template that somebody else is copying or reading.
  await admin.query('select pg_advisory_lock(727463002)');
  // Its pages would go through the log one by one otherwise, which costs four times as much.
  await admin.query(`create database ${name} template ${inject('templateName')} strategy file_copy`);
  await admin.query('select pg_advisory_unlock(727463002)');
  const ownerUrl = new URL(inject('ownerUrl'));
  ownerUrl.pathname = `/${name}`;
  const role = appRole(createKeyring([inject('secretKey')]));
  const appUrl = new URL(ownerUrl);
  appUrl.username = role.name;
  appUrl.password = role.password;
  const owner = new pg.Pool({ connectionString: ownerUrl.href, max: 3 });
  owner.on('error', () => {});
  recordStatements(name);
  return {
    name,
    ownerUrl: ownerUrl.href,
    appUrl: appUrl.href,
    owner,
    async drop() {
      await owner.end();
      await admin.query(`drop database if exists ${name} with (force)`);
      await admin.end();
      refuseBrokenRules(name, inject('catalog'));
    },
  };
}
