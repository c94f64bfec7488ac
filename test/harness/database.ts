import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { appRole } from '#server/platform/migrate.ts';
import { createKeyring } from '#server/platform/secrets.ts';
import { copyDatabase, dropDatabase, endOtherConnections, inDatabase } from './nodes.ts';
import { recordStatements, refuseBrokenRules } from './recorded-statements.ts';
import { goBackTo, type Snapshot, takeSnapshot } from './snapshot.ts';

export interface TestDatabase {
  name: string;
  /** Connection of the role that owns the tables (and, here, may do everything). */
  ownerUrl: string;
  /** Connection of the server's own role. */
  appUrl: string;
  /** Looks past row-level security, to check rows. */
  owner: pg.Pool;
  keeper: Keeper | null;
  drop(): Promise<void>;
}

interface Copy {
  name: string;
  /** What takes it back to how it was; null: it is dropped after its file. */
  keeper: Keeper | null;
}

export interface Keeper {
  client: pg.Client;
  snapshot: Snapshot;
}

/** Copies that files of this process gave back, as they were before. */
const spare: Copy[] = [];

async function copyTemplate(): Promise<Copy> {
  const name = `${inject('templateName')}_${randomBytes(6).toString('hex')}`;
  await copyDatabase(inject('ownerUrl'), inject('templateName'), name);
  const copy: Copy = { name, keeper: inject('isUsedAgain') ? await openKeeper(name) : null };
  // A test ended its connection, with all others.
  copy.keeper?.client.on('end', () => void (copy.keeper = null));
  return copy;
}

/** A connection of a superuser that outlives the test file. */
async function openKeeper(name: string): Promise<Keeper> {
  const client = new pg.Client({ connectionString: inDatabase(inject('ownerUrl'), name) });
  client.on('error', () => {});
  await client.connect();
  return { client, snapshot: await takeSnapshot(client) };
}

/** Keeps a copy for the next file, or drops it where something other than rows was changed. */
async function giveBack(copy: Copy): Promise<void> {
  const { name, keeper } = copy;
  if (keeper !== null) {
    await endOtherConnections(keeper.client);
    if (await goBackTo(keeper)) return void spare.push(copy);
    await keeper.client.end();
  }
  await dropDatabase(inject('ownerUrl'), name);
}

/**
 * A database as the migrated template, for one test file. `drop` fails when the product sent it what Citus would refuse.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const copy = spare.pop() ?? (await copyTemplate());
  const { name, keeper } = copy;
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
    keeper,
    async drop() {
      await owner.end();
      await giveBack(copy);
      refuseBrokenRules(name, inject('catalog'));
    },
  };
}
