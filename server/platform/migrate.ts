import { Kysely, PostgresDialect, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import * as schema from '#db/migrations/0001-schema.ts';
import * as testMode from '#db/migrations/0002-test-mode.ts';
import * as customerViews from '#db/migrations/0003-customer-views.ts';
import * as grownTables from '#db/migrations/0004-grown-tables.ts';
import * as choicesThatChose from '#db/migrations/0005-choices-that-chose.ts';
import * as apiKeyUse from '#db/migrations/0006-api-key-use.ts';
import * as importColumnSamples from '#db/migrations/0007-import-column-samples.ts';
import * as proof from '#db/migrations/0008-proof.ts';
import * as doubleOptIn from '#db/migrations/0009-double-opt-in.ts';
import * as wrongRecipients from '#db/migrations/0010-wrong-recipients.ts';
import * as importFileHash from '#db/migrations/0011-import-file-hash.ts';
import * as undo from '#db/migrations/0012-undo.ts';
import * as complaints from '#db/migrations/0013-complaints.ts';
import * as noForceOnCitus from '#db/migrations/0014-no-force-on-citus.ts';
import * as noSiteStatistics from '#db/migrations/0015-no-site-statistics.ts';
import * as grownRows from '#db/migrations/0016-grown-rows.ts';
import * as endorsedKeys from '#db/migrations/0017-endorsed-keys.ts';
import * as unconfirmedDefaults from '#db/migrations/0018-unconfirmed-defaults.ts';
import * as visits from '#db/migrations/0019-visits.ts';
import * as keptOptOuts from '#db/migrations/0020-kept-opt-outs.ts';
import * as undoneInTools from '#db/migrations/0021-undone-in-tools.ts';
import * as importTells from '#db/migrations/0022-import-tells.ts';
import * as knownOptOuts from '#db/migrations/0023-known-opt-outs.ts';
import * as accountsAndGoneTargets from '#db/migrations/0024-accounts-and-gone-targets.ts';
import * as peopleNotMailed from '#db/migrations/0025-people-not-mailed.ts';
import * as registeredWebhooks from '#db/migrations/0026-registered-webhooks.ts';
import * as provenMailboxes from '#db/migrations/0027-proven-mailboxes.ts';
import * as evidenceAnchors from '#db/migrations/0028-evidence-anchors.ts';
import * as levelOfComplaints from '#db/migrations/0029-level-of-complaints.ts';
import * as endsOfRecords from '#db/migrations/0030-ends-of-records.ts';
import * as agreedAnchors from '#db/migrations/0031-agreed-anchors.ts';
import * as agreedRecordMailboxes from '#db/migrations/0032-agreed-record-mailboxes.ts';
import * as abuseReports from '#db/migrations/0033-abuse-reports.ts';
import { APPEND_ONLY_TABLES, NEVER_DELETED_TABLES } from '#db/tables.ts';
import { buildAddedIndexes } from './added-indexes.ts';
import { isWorkerDown, letRoleReachWorkers, refuseUnusableWorkers } from './citus.ts';
import { recordKey, refuseOtherKey, roleNameOf } from './installation.ts';
import type { Keyring } from './secrets.ts';
import { type JobQueue, QUEUE_SCHEMA, queueOptions } from './queue.ts';

/** Databases from before 0.2.0 have a migration of this name. */
const BEFORE_FIRST_RELEASE = '0001-schema';

/** In the order of their names. Once released, a migration is never changed: a newer one changes what it made. */
export const MIGRATIONS = {
  '0001-schema-0.2': schema,
  '0002-test-mode': testMode,
  '0003-customer-views': customerViews,
  '0004-grown-tables': grownTables,
  '0005-choices-that-chose': choicesThatChose,
  '0006-api-key-use': apiKeyUse,
  '0007-import-column-samples': importColumnSamples,
  '0008-proof': proof,
  '0009-double-opt-in': doubleOptIn,
  '0010-wrong-recipients': wrongRecipients,
  '0011-import-file-hash': importFileHash,
  '0012-undo': undo,
  '0013-complaints': complaints,
  '0014-no-force-on-citus': noForceOnCitus,
  '0015-no-site-statistics': noSiteStatistics,
  '0016-grown-rows': grownRows,
  '0017-endorsed-keys': endorsedKeys,
  '0018-unconfirmed-defaults': unconfirmedDefaults,
  '0019-visits': visits,
  '0020-kept-opt-outs': keptOptOuts,
  '0021-undone-in-tools': undoneInTools,
  '0022-import-tells': importTells,
  '0023-known-opt-outs': knownOptOuts,
  '0024-accounts-and-gone-targets': accountsAndGoneTargets,
  '0025-people-not-mailed': peopleNotMailed,
  '0026-registered-webhooks': registeredWebhooks,
  '0027-proven-mailboxes': provenMailboxes,
  '0028-evidence-anchors': evidenceAnchors,
  '0029-level-of-complaints': levelOfComplaints,
  '0030-ends-of-records': endsOfRecords,
  '0031-agreed-anchors': agreedAnchors,
  '0032-agreed-record-mailboxes': agreedRecordMailboxes,
  '0033-abuse-reports': abuseReports,
};

export type MigrationName = keyof typeof MIGRATIONS;

/** The last migration of this version. */
export const NEWEST_MIGRATION = Object.keys(MIGRATIONS).at(-1) ?? '';

/** Does this version have a migration with this name? */
export function isMigration(name: string): name is MigrationName {
  return Object.hasOwn(MIGRATIONS, name);
}

/** Why the database could not be brought to this version; the message is for the person who starts it. */
export class MigrationError extends Error {
  override name = 'MigrationError';
}

/** A database that never answers must not keep a start waiting forever. */
const CONNECT_WITHIN_MS = 10_000;

/** Does this database have all that this version needs? For those who only read. */
export async function isUpToDate(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>('select name from kysely_migration');
    const done = new Set(rows.map(({ name }) => name));
    return Object.keys(MIGRATIONS).every((name) => done.has(name));
  } finally {
    await client.end();
  }
}

/** @returns the URL with which the server's own role connects */
export function urlOfApp(ownerUrl: string, keyring: Keyring): string {
  const role = appRole(keyring);
  const url = new URL(ownerUrl);
  url.username = role.name;
  url.password = role.password;
  return url.href;
}

/** Role and password of the server's connections, derived from the key, so that nothing has to be kept. */
export function appRole(keyring: Keyring): { name: string; password: string } {
  const { key } = keyring.derive('database-role');
  return { name: roleNameOf(key), password: key.subarray(4, 28).toString('hex') };
}

function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

async function ensureRole(client: pg.Client, role: { name: string; password: string }): Promise<void> {
  const known = await client.query<{ privileged: boolean }>(
    'select rolsuper or rolbypassrls as privileged from pg_roles where rolname = $1',
    [role.name],
  );
  // Several processes may start at once; the loser of the race finds the role made.
  if (known.rows.length === 0) {
    await client
      .query(
        `create role ${role.name} login password '${role.password}' nosuperuser nobypassrls nocreatedb nocreaterole`,
      )
      .catch((error: Error & { code?: string }) => {
        if (error.code !== '42710' && error.code !== '23505') throw error;
      });
  } else if (known.rows[0]?.privileged === true) {
    throw new Error(`The database role ${role.name} must not be a superuser or bypass row-level security.`);
  }
}

async function grant(client: pg.Client, role: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>('select current_database() as name');
  await client.query(`grant connect, temporary on database ${identifier(rows[0]?.name ?? '')} to ${role}`);
  await client.query(`grant usage on schema public, ${QUEUE_SCHEMA} to ${role}`);
  await client.query(
    `grant select, insert, update, delete on all tables in schema public, ${QUEUE_SCHEMA} to ${role}`,
  );
  await client.query(`grant usage on all sequences in schema ${QUEUE_SCHEMA} to ${role}`);
  await client.query(`grant execute on all functions in schema ${QUEUE_SCHEMA} to ${role}`);
  await client.query(`grant execute on function analyze_grown_tables() to ${role}`);
  for (const name of ['forget_audit_entries', 'forget_evidence_checks'])
    await client.query(`grant execute on function ${name}(timestamptz, int) to ${role}`);
  for (const table of APPEND_ONLY_TABLES)
    await client.query(`revoke update, delete, truncate on ${table} from ${role}`);
  for (const table of NEVER_DELETED_TABLES)
    await client.query(`revoke delete, truncate on ${table} from ${role}`);
  await client.query(
    `revoke insert, update, delete on kysely_migration, kysely_migration_lock, installation from ${role}`,
  );
}

/**
 * Has the role what `grant` gave it at an earlier start? It begins with all tables and ends with what it takes back from
 * `kysely_migration`, so that both together say that nothing is missing.
 */
async function isGranted(client: pg.Client, role: string): Promise<boolean> {
  const { rows } = await client.query<{ granted: boolean }>(
    `select not has_table_privilege($1, 'kysely_migration', 'insert') and not exists (
       select from pg_class where relkind in ('r', 'p') and relnamespace in ('public'::regnamespace, $2::regnamespace)
         and not has_table_privilege($1, oid, 'select')) as granted`,
    [role, QUEUE_SCHEMA],
  );
  return rows[0]?.granted === true;
}

/** A database whose migrations this version cannot continue. */
async function refuseOtherSchema(db: Kysely<unknown>): Promise<void> {
  const table = await sql<{
    name: string | null;
  }>`select to_regclass('kysely_migration')::text as name`.execute(db);
  if ((table.rows[0]?.name ?? null) === null) return;
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  const unknown = rows.map(({ name }) => name).filter((name) => !(name in MIGRATIONS));
  if (unknown.length === 0) return;
  if (unknown.includes(BEFORE_FIRST_RELEASE)) {
    throw new MigrationError(
      "DATABASE_URL: this database was created by a version before 0.2.0, which can't be upgraded. Use an empty one " +
        '(for the embedded database, an empty DATA_DIR), or keep using the version that created it. Nothing was changed.',
    );
  }
  throw new MigrationError(
    `DATABASE_URL: a newer version of Sayso has used this database (${unknown.join(', ')}). Start that version or a ` +
      'later one, or restore an older backup. Nothing was changed.',
  );
}

function messageWithCode(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? ` (${String(error.code)})` : '';
  const detail = 'detail' in error && typeof error.detail === 'string' ? ` ${error.detail}` : '';
  return `${error.message}${code}.${detail}`;
}

async function migrateSchema(ownerUrl: string, upTo: MigrationName | undefined): Promise<void> {
  const pool = new pg.Pool({
    connectionString: ownerUrl,
    max: 2,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
  });
  pool.on('error', () => {});
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    const { rows } = await sql<{
      version: number;
    }>`select current_setting('server_version_num')::int as version`.execute(db);
    if ((rows[0]?.version ?? 0) < 150_000)
      throw new MigrationError('DATABASE_URL: Sayso needs PostgreSQL 15 or newer.');
    await refuseOtherSchema(db);
    const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
    const { error, results } =
      upTo === undefined ? await migrator.migrateToLatest() : await migrator.migrateTo(upTo);
    if (error === undefined) return;
    const failed = results?.find(({ status }) => status === 'Error')?.migrationName ?? 'the migration';
    throw new MigrationError(
      `The database couldn't be upgraded and is unchanged: ${failed} failed with ` + messageWithCode(error),
      { cause: error },
    );
  } finally {
    await db.destroy();
  }
}

async function migrateQueues(ownerUrl: string, queues: readonly JobQueue[]): Promise<void> {
  const boss = new PgBoss({
    connectionString: ownerUrl,
    schema: QUEUE_SCHEMA,
    supervise: false,
    schedule: false,
    max: 2,
  });
  boss.on('error', () => {});
  await boss.start();
  try {
    for (const queue of queues) {
      const known = await boss.getQueue(queue.name);
      if (known === null) await boss.createQueue(queue.name, queueOptions(queue));
      else await boss.updateQueue(queue.name, queueOptions(queue));
    }
  } finally {
    await boss.stop({ graceful: false, close: true });
  }
}

/**
 * Makes the tables, and nothing for the server to work with.
 * @param upTo not further than this migration: for the rows of an older backup
 */
export async function migrateTables(
  ownerUrl: string,
  queues: readonly JobQueue[],
  upTo?: MigrationName,
): Promise<void> {
  await migrateSchema(ownerUrl, upTo);
  await migrateQueues(ownerUrl, queues);
  if (upTo !== undefined) return;
  const left = await buildAddedIndexes(ownerUrl);
  if (left.length > 0)
    process.emitWarning(`A transaction stayed open: ${left.join(', ')} will be built at the next start.`);
}

/**
 * How many connections the database lets roles have that are no superusers.
 */
export async function allowedConnections(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_WITHIN_MS });
  await client.connect();
  try {
    const { rows } = await client.query<{ allowed: number }>(
      `select sum(case name when 'max_connections' then setting::int else -setting::int end)::int as allowed
       from pg_settings where name in ('max_connections', 'superuser_reserved_connections', 'reserved_connections')`,
    );
    return rows[0]?.allowed ?? 0;
  } finally {
    await client.end();
  }
}

/**
 * Brings the database to this version's schema and makes the server's own role.
 * @param ownerUrl connection of the role that owns the tables and may create roles
 * @param queues every queue of the product
 * @returns the URL that the server connects with
 */
export async function migrate(
  ownerUrl: string,
  keyring: Keyring,
  queues: readonly JobQueue[],
): Promise<string> {
  await refuseOtherKey(ownerUrl, keyring);
  await migrateTables(ownerUrl, queues);
  const role = appRole(keyring);
  const appUrl = urlOfApp(ownerUrl, keyring);
  const client = new pg.Client({ connectionString: ownerUrl, connectionTimeoutMillis: CONNECT_WITHIN_MS });
  await client.connect();
  try {
    // Grants rewrite the same catalog rows; two starters would trip over each other.
    await client.query('select pg_advisory_lock(727463001)');
    await ensureRole(client, role);
    await grant(client, role.name).catch(async (error: unknown) => {
      // A grant goes to all workers at once, or to none.
      if (!isWorkerDown(error) || !(await isGranted(client, role.name))) throw error;
    });
    const reachesWorkers = await letRoleReachWorkers(client, role);
    await refuseUnusableWorkers(appUrl, reachesWorkers ? null : (client.user ?? ''));
    await recordKey(client, keyring);
  } finally {
    await client.end();
  }
  return appUrl;
}
