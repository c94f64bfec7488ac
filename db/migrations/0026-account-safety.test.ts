import { randomBytes } from 'node:crypto';
import { Kysely, PostgresDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import * as schema from './0001-schema.ts';
import * as accountSafety from './0026-account-safety.ts';

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

async function addUser(username: string, email: string, subject: string | null = null): Promise<void> {
  await pool.query(
    `insert into users (id, username, username_key, email, email_key, google_subject, first_name, last_name, attrs, created_at)
     values ($1, $2, lower($2), $3, lower($3), $4, '', '', '{}', now())`,
    [crypto.randomUUID(), username, email, subject],
  );
}

it('gives linked accounts their issuer, and names their new form where it is free', async () => {
  await migrate({ '0001-schema': schema });
  await addUser('Nora', 'Nora@example.com', 'nora-at-google');
  await addUser('ａｎｎａ', 'anna@bücher.example');
  await addUser('otto', 'otto@example.com');
  await addUser('ｏｔｔｏ', 'other@example.com');

  await migrate({ '0001-schema': schema, '0026-account-safety': accountSafety });

  const { rows } = await pool.query(
    'select username_key, email_key, google_issuer, google_email from users order by email_key',
  );
  expect(rows).toEqual([
    {
      username_key: 'anna',
      email_key: 'anna@xn--bcher-kva.example',
      google_issuer: null,
      google_email: null,
    },
    {
      username_key: 'nora',
      email_key: 'nora@example.com',
      google_issuer: 'https://accounts.google.com',
      google_email: 'Nora@example.com',
    },
    // Its new form is another account's: the key stays.
    { username_key: 'ｏｔｔｏ', email_key: 'other@example.com', google_issuer: null, google_email: null },
    { username_key: 'otto', email_key: 'otto@example.com', google_issuer: null, google_email: null },
  ]);
});
