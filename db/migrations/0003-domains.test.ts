import { randomBytes } from 'node:crypto';
import { Kysely, PostgresDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import * as schema from './0001-schema.ts';
import * as publicPage from './0002-public-page.ts';
import * as domains from './0003-domains.ts';

const NAME = `sayso_migration_${randomBytes(4).toString('hex')}`;
let admin: pg.Client;
let pool: pg.Pool;
let db: Kysely<unknown>;

beforeAll(async () => {
  admin = new pg.Client({ connectionString: inject('ownerUrl') });
  await admin.connect();
  await admin.query(`create database ${NAME}`);
  const url = new URL(inject('ownerUrl'));
  url.pathname = `/${NAME}`;
  pool = new pg.Pool({ connectionString: url.href, max: 2 });
  // Its database is dropped while the last connections are still closing.
  pool.on('error', () => {});
  db = new Kysely({ dialect: new PostgresDialect({ pool }) });
});

afterAll(async () => {
  await db.destroy();
  await admin.query(`drop database ${NAME} with (force)`);
  await admin.end();
});

async function migrate(migrations: Record<string, { up(db: Kysely<unknown>): Promise<void> }>) {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw new Error('The migration failed', { cause: error });
}

it('keeps subdomains as they are, and makes own domains wishes that are looked at first', async () => {
  const before = { '0001-schema': schema, '0002-public-page': publicPage };
  await migrate(before);
  const [organization, site, now] = [crypto.randomUUID(), crypto.randomUUID(), new Date()];
  await pool.query(
    `insert into organizations (id, name, name_key, created_by, created_at) values ($1, 'A', 'a', $1, $2)`,
    [organization, now],
  );
  await pool.query(`insert into sites values ($1, $2, 'A', $3)`, [site, organization, now]);
  await pool.query(
    `insert into host_names values ('a.localhost', $1, 'subdomain', $2), ('a.example', $1, 'custom', $2)`,
    [site, now],
  );

  await migrate({ ...before, '0003-domains': domains });

  const hosts = await pool.query('select host, kind from host_names');
  expect(hosts.rows).toEqual([{ host: 'a.localhost', kind: 'subdomain' }]);
  const holders = await pool.query('select host, organization_id, released_at from host_holders');
  expect(holders.rows).toEqual([{ host: 'a.localhost', organization_id: organization, released_at: null }]);
  const wishes = await pool.query('select site_id, host, verified_at, next_check_at from site_domains');
  expect(wishes.rows).toEqual([{ site_id: site, host: 'a.example', verified_at: null, next_check_at: now }]);
});
