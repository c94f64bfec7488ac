import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { saveLists } from '#contract/public-preferences.ts';
import { checkBackup } from '#server/backup/read-file.ts';
import { openBackup, restoreBackup } from '#server/backup/restore-backup.ts';
import { takeBackup } from '#server/backup/take-backup.ts';
import { openDatabase } from '#server/platform/database.ts';
import { createLog } from '#server/platform/log.ts';
import { urlOfApp } from '#server/platform/migrate.ts';
import { createKeyring } from '#server/platform/secrets.ts';
import { verifyAll } from '#server/verify-all.ts';
import { createEmptyDatabase, dropDatabase, inDatabase } from '#test/harness/nodes.ts';
import { createOwnedDatabase } from '#test/harness/plain-owner.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWorld, openAsProven, type World } from '#test/harness/world.ts';

const name = `sayso_restored_${randomBytes(6).toString('hex')}`;
const moved = `sayso_moved_${randomBytes(6).toString('hex')}`;
const keyring = createKeyring([inject('secretKey')]);
const say = () => {};
let product: TestProduct;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sayso-citus-backup-'));
  product = await startTestProduct();
  const worlds = [await buildWorld(product, 'acme'), await buildWorld(product, 'globex')];
  for (const world of worlds) await leaveWeekly(world);
});

afterAll(async () => {
  await product.stop();
  for (const one of [name, moved]) await dropDatabase(inject('ownerUrl'), one);
  await onCoordinator(inject('ownerUrl'), `drop role if exists ${moved}`);
  rmSync(folder, { recursive: true, force: true });
});

async function leaveWeekly(world: World): Promise<void> {
  const customerId = await openAsProven(product, world, await buildCustomer(product, world));
  const body = [{ notification_list_id: world.weekly.id, subscribed: false }];
  await product.call(saveLists, { params: { customerId }, body }, world.visitor);
}

async function backUp(url: string, file: string) {
  const path = join(folder, file);
  await takeBackup(path, { url, keyring, say });
  const { tables } = await checkBackup(path);
  const { 'queue.job': _jobs, 'public.installation': _installation, ...rows } = Object.fromEntries(tables);
  return { path, rows };
}

async function restore(path: string, url: string): Promise<void> {
  await restoreBackup(await openBackup(path, { keyring, say }), { url, keyring, say });
  const database = openDatabase(urlOfApp(url, keyring), { log: createLog('silent'), maxConnections: 2 });
  try {
    expect(await verifyAll(database, keyring, say)).toBe(true);
  } finally {
    await database.close();
  }
}

async function onCoordinator<T extends object>(url: string, text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(text)).rows;
  } finally {
    await client.end();
  }
}

/** How many workers have choices. */
async function nodesOf(url: string): Promise<number | undefined> {
  const [found] = await onCoordinator<{ nodes: number }>(
    url,
    `select count(distinct nodeid)::int as nodes from pg_dist_shard join pg_dist_placement using (shardid)
     join pg_dist_node using (groupid) where logicalrelid = 'choices'::regclass`,
  );
  return found?.nodes;
}

/**
 * An empty database of the cluster as `docs/handbook/growing.md` asks for it: its owner is no superuser, and the
 * coordinator knows its password.
 * @returns its URL, of the owner
 */
async function createOwnedClusterDatabase(): Promise<string> {
  await onCoordinator(
    product.testDatabase.ownerUrl,
    `create role ${moved} login createrole nosuperuser nobypassrls password '${moved}'`,
  );
  await createEmptyDatabase(inject('ownerUrl'), moved, moved);
  const coordinator = inDatabase(inject('ownerUrl'), moved);
  await onCoordinator(
    coordinator,
    `insert into pg_dist_authinfo values (0, '${moved}', 'password=${moved}')`,
  );
  await onCoordinator(coordinator, `grant select, insert, update on pg_dist_authinfo to ${moved}`);
  return Object.assign(new URL(coordinator), { username: moved, password: moved }).href;
}

it('a backup of a cluster fills another one, then plain PostgreSQL, and that one a cluster, with the same rows', async () => {
  const before = await backUp(product.testDatabase.ownerUrl, 'cluster.sayso');
  expect(before.rows['public.customers']?.rows).toBe(2);

  await createEmptyDatabase(inject('ownerUrl'), name);
  const cluster = inDatabase(inject('ownerUrl'), name);
  await restore(before.path, cluster);
  expect(await nodesOf(cluster)).toBe(2);
  const again = await backUp(cluster, 'again.sayso');
  expect(again.rows).toEqual(before.rows);

  const plain = await createOwnedDatabase(inject('ownerUrl'));
  await restore(again.path, plain.url);
  const single = await backUp(plain.url, 'plain.sayso');
  expect(single.rows).toEqual(before.rows);
  await plain.drop();

  const owned = await createOwnedClusterDatabase();
  await restore(single.path, owned);
  expect(await nodesOf(owned)).toBe(2);
  expect((await backUp(owned, 'moved.sayso')).rows).toEqual(before.rows);
}, 180_000);
