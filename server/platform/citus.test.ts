import pg from 'pg';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#test/harness/database.ts';
import { isOnCitus } from '#test/harness/nodes.ts';
import { QUEUES } from '#server/queues.ts';
import { isWorkerDown, letRoleReachWorkers, refuseUnusableWorkers } from './citus.ts';
import { appRole, migrate, MigrationError } from './migrate.ts';
import { createKeyring } from './secrets.ts';
import { startProblem } from './start-errors.ts';

/*
 * The table of passwords is Citus's own where there is Citus. Elsewhere it is one of the same shape, so that every run
 * sees what is written to it.
 */

const keyring = createKeyring([inject('secretKey')]);
const role = appRole(keyring);
let database: TestDatabase;
let owner: pg.Client;

beforeEach(async () => {
  database = await createTestDatabase();
  owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
});

afterEach(async () => {
  await owner.end();
  await database.drop();
});

async function makePasswordTable(): Promise<void> {
  if (isOnCitus) return;
  await owner.query(
    `create table pg_dist_authinfo (nodeid int not null, rolename name not null, authinfo text not null,
       unique (rolename, nodeid))`,
  );
}

const passwords = async () => (await owner.query('select * from pg_dist_authinfo')).rows;

it('every start gives the coordinator the password of the role, for all nodes', async () => {
  await makePasswordTable();
  const known = { nodeid: 0, rolename: role.name, authinfo: `password=${role.password}` };
  await migrate(database.ownerUrl, keyring, QUEUES);
  expect(await passwords()).toEqual([known]);
  await owner.query(`update pg_dist_authinfo set authinfo = 'password=old'`);
  expect(await letRoleReachWorkers(owner, role)).toBe(true);
  expect(await passwords()).toEqual([known]);
});

it('a role that may not write passwords does not fail the start, unless a worker asks for one', async () => {
  await makePasswordTable();
  const plain = new pg.Client({ connectionString: database.appUrl });
  await plain.connect();
  expect(await letRoleReachWorkers(plain, role)).toBe(false);
  await plain.end();
  await refuseUnusableWorkers(database.appUrl, 'sayso');
  // Stands for a worker that can't be used: the statement that reaches all of them fails.
  await owner.query(`revoke select on lists from ${role.name}`);
  const refused = await refuseUnusableWorkers(database.appUrl, 'sayso').catch((error: unknown) => error);
  expect(startProblem(refused)).toBe(
    "DATABASE_URL: the Citus coordinator can't use a worker, because Sayso may not tell it the password: " +
      'permission denied for table lists. As a superuser, run "grant select, insert, update on pg_dist_authinfo to sayso" ' +
      'on the coordinator, and start Sayso again.',
  );
});

it('a worker that cannot be used is named at the start, with the cause that Citus gives', () => {
  const cause = new Error(
    'connection to the remote node sayso@10.0.0.2:5432 failed with the following error: Connection refused\n\tIs it running?',
  );
  const sentence =
    "DATABASE_URL: the Citus coordinator can't use one of its workers: connection to the remote node sayso@10.0.0.2:5432 " +
    'failed with the following error: Connection refused Is it running. Start that worker, or let it accept this role ' +
    '(pg_hba.conf on the worker, or pg_dist_authinfo on the coordinator), and start Sayso again.';
  expect(startProblem(Object.assign(cause, { code: '08006' }))).toBe(sentence);
  expect(startProblem(new MigrationError('0014 failed.', { cause }))).toBe(`${sentence}\n0014 failed.`);
});

const REFUSED =
  'connection to the remote node sayso@10.0.0.2:5432 failed with the following error: fe_sendauth: no password supplied';
const REFUSED_SENTENCE =
  `DATABASE_URL: the Citus coordinator can't use one of its workers: ${REFUSED}. Start that worker, or let it accept ` +
  'this role (pg_hba.conf on the worker, or pg_dist_authinfo on the coordinator), and start Sayso again.';

const problemOfStart = async () =>
  startProblem(await migrate(database.ownerUrl, keyring, QUEUES).catch((error: unknown) => error));

it.runIf(!isOnCitus)('a start fails where a worker rejects the role, and says why', async () => {
  await makePasswordTable();
  // Stands for that worker: the statement that reaches all of them fails as it does there.
  await owner.query(
    `create function refuse() returns boolean immutable language plpgsql as
       $$ begin raise exception '${REFUSED}'; end $$`,
  );
  await owner.query(`create policy lists_refused on lists as restrictive to ${role.name} using (refuse())`);
  expect(await problemOfStart()).toBe(REFUSED_SENTENCE);
});

it.runIf(!isOnCitus)('a migration that a worker rejects fails the start with the cause, too', async () => {
  await owner.query(`delete from kysely_migration where name >= '0013-complaints'`);
  await owner.query(
    `create function refuse() returns event_trigger language plpgsql as
       $$ begin raise exception '${REFUSED}'; end $$`,
  );
  await owner.query('create event trigger refused on ddl_command_start execute function refuse()');
  const [sentence, migration] = (await problemOfStart()).split('\n');
  expect(sentence).toBe(REFUSED_SENTENCE);
  expect(migration).toContain('0013-complaints failed with ');
});

it('a start waits for a worker that is down, but not for one that rejects the role', () => {
  const told = (cause: string) =>
    new Error(`connection to the remote node sayso@10.0.0.2:5432 failed with the following error: ${cause}`);
  for (const cause of [
    'Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?',
    'server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally',
    'FATAL:  the database system is in recovery mode',
    'timeout expired',
  ])
    expect(isWorkerDown(told(cause)), cause).toBe(true);
  for (const cause of ['fe_sendauth: no password supplied', 'FATAL:  password authentication failed'])
    expect(isWorkerDown(told(cause)), cause).toBe(false);
  // Its machine has vanished.
  const silent = 'could not establish any connections to the node 10.0.0.2:5432 after 30000 ms';
  expect(isWorkerDown(new Error(silent))).toBe(true);
  expect(isWorkerDown(new Error('connect ECONNREFUSED: Connection refused'))).toBe(false);
});

it.runIf(!isOnCitus)('plain PostgreSQL, which has no such table, is not queried for it', async () => {
  expect(await letRoleReachWorkers(owner, role)).toBe(true);
  await owner.query(`revoke select on lists from ${role.name}`);
  await refuseUnusableWorkers(database.appUrl, null);
});
