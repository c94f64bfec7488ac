import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { REFERENCE_TABLES } from '#db/migrations/0001-schema.ts';
import { createLog } from '#server/platform/log.ts';
import { migrate } from '#server/platform/migrate.ts';
import { startEmbeddedPostgres } from '#server/platform/postgres/embedded.ts';
import { createKeyring } from '#server/platform/secrets.ts';
import { QUEUES } from '#server/queues.ts';
import type { Catalog } from './citus-rules.ts';
import { closeForCopies, createEmptyDatabase, dropDatabase, inDatabase, isOnCitus } from './nodes.ts';
import { makeQuickFolder } from './quick-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Superuser connection of the server that all tests share. */
    ownerUrl: string;
    /** A migrated database that each test file copies. */
    templateName: string;
    secretKey: string;
    /** Of the migrated database. */
    catalog: Catalog;
  }
}

/** These databases end with the run. Tests of what a crash leaves behind start a product with a server of its own. */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  wal_compression: 'off',
  max_wal_size: '256MB',
  // What it would analyze depends on the minute, and plans with it.
  autovacuum: 'off',
  // Each product opens its connections anew, each at the cost of a guess.
  scram_iterations: '1',
};

/**
 * One PostgreSQL for the whole run: the one of `DATABASE_URL`, else an embedded one of its own.
 * Test files copy the migrated template database.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const log = createLog('silent');
  const dataDir = await makeQuickFolder();
  const outside = process.env['DATABASE_URL'] ?? '';
  const embedded = outside === '' ? await startEmbeddedPostgres({ dataDir, log, settings: SETTINGS }) : null;
  const ownerUrl = embedded?.url ?? outside;
  const secretKey = randomBytes(32).toString('base64url');
  const templateName = `sayso_template_${randomBytes(4).toString('hex')}`;
  await createEmptyDatabase(ownerUrl, templateName);
  const template = inDatabase(ownerUrl, templateName);
  await migrate(template, createKeyring([secretKey]), QUEUES);
  project.provide('ownerUrl', ownerUrl);
  project.provide('templateName', templateName);
  project.provide('secretKey', secretKey);
  project.provide('catalog', await readCatalog(template));
  if (isOnCitus) await closeForCopies(ownerUrl, templateName);
  return async () => {
    await dropDatabase(ownerUrl, templateName);
    await embedded?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
}

/** Tenant tables are those behind a policy: one function secures them and distributes them. */
async function readCatalog(url: string): Promise<Catalog> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const namesOf = async (text: string) =>
    (await client.query<{ name: string }>(text)).rows.map(({ name }) => name);
  const functionsThat = (condition: string) =>
    namesOf(`select proname as name from pg_proc group by proname having bool_and(${condition})`);
  const catalog = {
    tenantTables: await namesOf('select relname as name from pg_class where relrowsecurity'),
    referenceTables: REFERENCE_TABLES,
    volatile: await functionsThat(`provolatile = 'v'`),
    unstable: await functionsThat(`provolatile in ('v', 's')`),
  };
  await client.end();
  return catalog;
}
