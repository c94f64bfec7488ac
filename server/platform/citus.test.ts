import pg from 'pg';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#test/harness/database.ts';
import { isOnCitus } from '#test/harness/nodes.ts';
import { QUEUES } from '#server/queues.ts';
import { letRoleReachWorkers, refuseUnusableWorkers } from './citus.ts';
import { appRole, migrate } from './migrate.ts';
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

it('every start tells the coordinator the password of the role, for all nodes', async () => {
  await makePasswordTable();
  const known = { nodeid: 0, rolename: role.name, authinfo: `password=${role.password}` };
  await migrate(database.ownerUrl, keyring, QUEUES);
  expect(await passwords()).toEqual([known]);
  await owner.query(`update pg_dist_authinfo set authinfo = 'password=old'`);
  await migrate(database.ownerUrl, keyring, QUEUES);
  expect(await passwords()).toEqual([known]);
});

it('a role that may not write passwords is no reason to fail, unless a worker asks for one', async () => {
  await makePasswordTable();
  const plain = new pg.Client({ connectionString: database.appUrl });
  await plain.connect();
  expect(await letRoleReachWorkers(plain, role)).toBe(false);
  await plain.end();
  await refuseUnusableWorkers(database.appUrl, 'sayso');
});

it('plain PostgreSQL, which has no such table, is told nothing', async () => {
  if (isOnCitus) return;
  expect(await letRoleReachWorkers(owner, role)).toBe(true);
});
