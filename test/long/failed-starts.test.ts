import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#test/harness/database.ts';
import { startProductProcess } from '#test/harness/product-process.ts';

/* Every start that fails ends with a sentence that names what to put right, and with an exit code other than 0. */

const UNUSED = `sayso_unused_${process.pid}`;
const EARLIER = `sayso_earlier_${process.pid}`;
/** A migration that cannot be run twice. */
const STOPPED_AT = '0001-schema-0.2';

const ROLE = `sayso_plain_${process.pid}`;

let folder: string;
let database: TestDatabase;
let busy: Server;
let silent: Server;

const portOf = (server: Server) => (server.address() as { port: number }).port;

function listen(server: Server): Promise<Server> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sayso-failed-starts-'));
  database = await createTestDatabase();
  busy = await listen(createServer());
  silent = await listen(createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')));
  await database.owner.query(`create role ${ROLE} login password 'plain' nosuperuser nocreaterole`);
});

afterAll(async () => {
  await database.owner.query(`drop database if exists ${UNUSED}`);
  await database.owner.query(`drop database if exists ${EARLIER}`);
  await database.owner.query(`drop owned by ${ROLE}`);
  await database.owner.query(`drop role ${ROLE}`);
  await database.drop();
  busy.close();
  silent.close();
  rmSync(folder, { recursive: true });
});

/** @returns what a start that fails prints */
async function failedStart(env: Record<string, string>): Promise<string> {
  const product = await startProductProcess({
    env: { SECRET_KEY: inject('secretKey'), ...env },
    dataDir: folder,
  });
  const code = await product.ended();
  const output = product.output().trim();
  expect({ code, output, hasTrace: /^\s+at /m.test(output) }).toEqual({ code: 1, output, hasTrace: false });
  return output;
}

function withDatabase(change: (url: URL) => void): Record<string, string> {
  const url = new URL(database.ownerUrl);
  change(url);
  return { DATABASE_URL: url.href };
}

it('a start fails clearly on a port or an address that cannot be listened on', async () => {
  const good = withDatabase(() => {});
  expect(await failedStart({ ...good, PORT: String(portOf(busy)) })).toBe(
    `PORT: port ${portOf(busy)} is already in use. Stop the other program, or set PORT to another one.`,
  );
  expect(await failedStart({ ...good, HOST: '203.0.113.7' })).toContain(
    'HOST: this machine has no address "203.0.113.7". Set HOST to one it has',
  );
  expect(await failedStart({ ...good, WEB_CONCURRENCY: '2', HOST: '203.0.113.7' })).toContain(
    'HOST: this machine has no address',
  );
});

it('a start fails clearly on a database that does not exist, or is not one', async () => {
  expect(await failedStart({ DATABASE_URL: `postgres://a:b@127.0.0.1:${portOf(silent)}/x` })).toMatch(
    /^DATABASE_URL: Sayso can't reach the database/,
  );
  expect(await failedStart(withDatabase((url) => (url.pathname = '/nothing')))).toBe(
    'DATABASE_URL: database "nothing" does not exist.',
  );
  expect(await failedStart(withDatabase((url) => (url.password = 'wrong')))).toMatch(
    /^DATABASE_URL: password authentication failed for user/,
  );
  expect(await failedStart(withDatabase((url) => url.searchParams.set('sslmode', 'verify-full')))).toMatch(
    /^DATABASE_URL: Sayso can't reach the database over TLS: The server does not support SSL connections\.$/,
  );
});

it('a start fails clearly with a role that may not do what the first start does', async () => {
  const asPlain = withDatabase((url) => {
    url.username = ROLE;
    url.password = 'plain';
  });
  expect(await failedStart(asPlain)).toMatch(
    /^DATABASE_URL: permission denied .*The role in the URL must own the database and be able to create roles \(CREATEROLE\)\./,
  );
});

it('a start fails clearly on a database without a free connection', async () => {
  await database.owner.query(`alter role ${ROLE} connection limit 0`);
  const asPlain = withDatabase((url) => {
    url.username = ROLE;
    url.password = 'plain';
  });
  expect(await failedStart(asPlain)).toMatch(
    /^DATABASE_URL: the database has no free connection \(too many connections for role .*\)\. Lower DATABASE_CONNECTIONS/,
  );
  await database.owner.query(`alter role ${ROLE} connection limit -1`);
});

it('a start fails clearly on a database that a newer version has used', async () => {
  await database.owner.query(`insert into kysely_migration (name, timestamp) values ('9999-future', now())`);
  expect(await failedStart(withDatabase(() => {}))).toMatch(
    /^DATABASE_URL: a newer version of Sayso has used this database \(9999-future\)\. Start that version/,
  );
  await database.owner.query(`delete from kysely_migration where name = '9999-future'`);
});

it('a start leaves a database unchanged that a version before 0.2.0 has used', async () => {
  await database.owner.query(`create database ${EARLIER}`);
  const url = new URL(database.ownerUrl);
  url.pathname = `/${EARLIER}`;
  const admin = new pg.Client({ connectionString: url.href });
  await admin.connect();
  await admin.query(`create table tool_chores (site_id uuid primary key);
    create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null);
    create table kysely_migration_lock (id varchar(255) primary key, is_locked integer not null default 0);
    insert into kysely_migration values ('0001-schema', ''), ('0002-public-page', '')`);
  const everything = async () => {
    const relations = await admin.query('select oid, relname, relacl from pg_class order by oid');
    const schemas = await admin.query('select nspname, nspacl from pg_namespace order by oid');
    const migrations = await admin.query('select * from kysely_migration order by name');
    return [relations, schemas, migrations].map(({ rows }) => rows);
  };
  const before = await everything();
  expect(await failedStart({ DATABASE_URL: url.href })).toBe(
    "DATABASE_URL: this database was created by a version before 0.2.0, which can't be upgraded. Use an empty one " +
      '(for the embedded database, an empty DATA_DIR), or keep using the version that created it. Nothing was changed.',
  );
  expect(await everything()).toEqual(before);
  await admin.end();
});

it('an upgrade that fails prints which migration it was, and why, and has changed nothing', async () => {
  const admin = new pg.Client({ connectionString: database.ownerUrl });
  await admin.connect();
  const { rows: before } = await admin.query<{ name: string }>(
    'select name from kysely_migration order by name',
  );
  // As though it and all after it had not been made, and something stood in its way.
  await admin.query('delete from kysely_migration where name >= $1', [STOPPED_AT]);
  const output = await failedStart(withDatabase(() => {}));
  expect(output).toContain("The database couldn't be upgraded and is unchanged:");
  expect(output).toContain(`${STOPPED_AT} failed with `);
  expect(output).toMatch(/already exists/);
  const { rows: after } = await admin.query('select name from kysely_migration order by name');
  expect(after).toEqual(before.filter(({ name }) => name < STOPPED_AT));
  await admin.end();
});

it('a start fails clearly with a data folder that cannot be used', async () => {
  const file = join(folder, 'a-file');
  writeFileSync(file, '');
  // A database that was used before would say whose key is missing.
  await database.owner.query(`create database ${UNUSED}`);
  const unused = withDatabase((url) => (url.pathname = `/${UNUSED}`));
  const env = { ...unused, SECRET_KEY: '', DATA_DIR: join(file, 'data') };
  expect(await failedStart(env)).toMatch(
    /^DATA_DIR: Sayso can't write .*a-file\/data: a file is in the way. Set DATA_DIR to another directory\.$/,
  );
  const embedded = await failedStart({ DATABASE_URL: '', DATA_DIR: file });
  expect(embedded).toContain(file);
  expect(embedded).toContain('Move the file away or set DATA_DIR to another directory.');
});
