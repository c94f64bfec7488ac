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

/** What a coordinator of Citus has; the product asks for nothing else. */
const SEEMS_CITUS = `insert into pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
  select 727463, 'citus', 10, 'pg_catalog'::regnamespace, false, '0' where not exists (select from pg_extension where extname = 'citus')`;

/**
 * A copy of the migrated template, for one test file. `drop` fails when the product sent it what Citus would refuse.
 * @param options.seemsCitus makes the product take it for a coordinator of Citus
 */
export async function createTestDatabase({
  seemsCitus = false,
}: { seemsCitus?: boolean } = {}): Promise<TestDatabase> {
  const name = `sayso_test_${randomBytes(6).toString('hex')}`;
  const admin = new pg.Client({ connectionString: inject('ownerUrl') });
  await admin.connect();
  // Two files may copy at once; PostgreSQL refuses a template that somebody else is copying or reading.
  await admin.query('select pg_advisory_lock(727463002)');
  await admin.query(`create database ${name} template ${inject('templateName')}`);
  await admin.query('select pg_advisory_unlock(727463002)');
  const ownerUrl = new URL(inject('ownerUrl'));
  ownerUrl.pathname = `/${name}`;
  const role = appRole(createKeyring([inject('secretKey')]));
  const appUrl = new URL(ownerUrl);
  appUrl.username = role.name;
  appUrl.password = role.password;
  const owner = new pg.Pool({ connectionString: ownerUrl.href, max: 3 });
  owner.on('error', () => {});
  if (seemsCitus) await owner.query(SEEMS_CITUS);
  recordStatements(name, seemsCitus);
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
