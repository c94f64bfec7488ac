import type pg from 'pg';
import { counted, Refusal } from '#server/command.ts';
import { copyIn, copyOut } from '#server/platform/copy.ts';
import { fingerprintsOf, recordKey } from '#server/platform/installation.ts';
import { isMigration, migrate, migrateTables, type MigrationName } from '#server/platform/migrate.ts';
import type { Keyring } from '#server/platform/secrets.ts';
import { QUEUES } from '#server/queues.ts';
import { RowsDigest } from './digest.ts';
import type { Block, Header, TableSum } from './format.ts';
import { progressOf } from './progress.ts';
import { checkBackup, readBackup } from './read-file.ts';
import { copyOutOf, JOBS, listOf, type Table, tablesOf } from './tables.ts';
import { connectAsOwner } from './take-backup.ts';

interface Restoring {
  keyring: Keyring;
  say: (line: string) => void;
}

export interface CheckedBackup {
  path: string;
  header: Header;
  schema: MigrationName;
  tables: Map<string, TableSum>;
}

/**
 * Reads a backup from beginning to end, before anything is touched.
 * @throws Refusal when it is not whole, of a newer version, or made with another key
 */
export async function openBackup(path: string, { keyring, say }: Restoring): Promise<CheckedBackup> {
  say(`Reading ${path} ...`);
  const { header, tables } = await checkBackup(path);
  const { schema } = header;
  if (!isMigration(schema)) {
    throw new Refusal(
      `${path}: this backup was taken by Sayso ${header.product} with a database (${schema}) that this version doesn't know. Restore it with that version.`,
    );
  }
  refuseOtherKeyOf(path, header, { keyring, say });
  return { path, header, schema, tables };
}

function refuseOtherKeyOf(path: string, header: Header, { keyring, say }: Restoring): void {
  const ours = fingerprintsOf(keyring);
  const [newest = '', ...older] = header.key_fingerprints;
  if (!ours.includes(newest)) {
    throw new Refusal(
      `SECRET_KEY: ${path} was taken with another key. Set the key of the Sayso that took it.`,
    );
  }
  const missing = older.filter((one) => !ours.includes(one));
  if (missing.length === 0) return;
  say(
    `Note: the backup was taken with ${counted(missing.length, 'older key')} that SECRET_KEY doesn't have. Without them, links in emails from that time don't work, and older evidence can't be linked to its customers.`,
  );
}

/** Refuses another program's database, one with rows, and one that is newer than the backup. Views of extensions don't count. */
async function refuseUsed(client: pg.Client, schema: MigrationName): Promise<void> {
  const { rows: kinds } = await client.query<{ ours: boolean; others: boolean }>(
    `select to_regclass('public.kysely_migration') is not null as ours,
       exists (select 1 from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm')
         and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
       ) as others`,
  );
  if (kinds[0]?.ours !== true) {
    if (kinds[0]?.others !== true) return;
    throw new Refusal(
      "The database isn't empty: it has another program's tables. Restore into an empty one.",
    );
  }
  await refuseRunning(client);
  await refuseRows(client);
  const { rows: done } = await client.query<{ name: string }>(
    'select name from kysely_migration where name > $1 limit 1',
    [schema],
  );
  if (done.length > 0) {
    throw new Refusal(
      `The database is newer than the backup (${done[0]?.name}, after ${schema}). Restore into an empty one.`,
    );
  }
}

/** An empty database that was started with another key takes the key of the backup. */
async function forgetKey(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regclass('public.installation') is not null as there`,
  );
  if (rows[0]?.there === true) await client.query('delete from installation');
}

async function refuseRunning(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and usename like 'sayso\\_app\\_%'`,
  );
  if ((rows[0]?.count ?? 0) === 0) return;
  throw new Refusal('Sayso is running on this database. Stop it, then restore.');
}

async function refuseRows(client: pg.Client): Promise<void> {
  const filled: string[] = [];
  for (const table of await tablesOf(client)) {
    const { rows } = await client.query(`select 1 from ${table.name} limit 1`);
    if (rows.length > 0) filled.push(table.name);
  }
  if (filled.length === 0) return;
  throw new Refusal(
    `The database isn't empty: ${counted(filled.length, 'table has', 'tables have')} rows (${filled.slice(0, 3).join(', ')}${filled.length > 3 ? ', ...' : ''}). Restore into an empty one.`,
  );
}

/**
 * Tables that COPY may not fill as this role, because row-level security is forced on it. It is lifted inside of the one
 * transaction that fills them, in a database that nobody uses: nobody ever sees them without.
 */
async function tablesForcedOn(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relforcerowsecurity and row_security_active(c.oid) order by 1`,
  );
  return rows.map(({ name }) => name);
}

async function fill(
  client: pg.Client,
  { path, tables: sums, header }: CheckedBackup,
  tables: Map<string, Table>,
  say: (line: string) => void,
): Promise<void> {
  const again = await readBackup(path, async (block, rows, digest) => {
    const known = tables.get(block.table);
    if (known === undefined) {
      say(`${block.table}: left out, because it isn't a Sayso table`);
      for await (const some of rows) void some;
      return;
    }
    refuseUnknown(path, block, known);
    const onRows = progressOf(block.table, say);
    const watched = async function* () {
      for await (const some of rows) {
        yield some;
        onRows(digest.rows);
      }
    };
    await copyIn(client, `copy ${block.table} (${listOf(block.columns)}) from stdin`, watched());
  });
  // Between the two readings somebody may have written another file in its place.
  const isSame = JSON.stringify([again.header, [...again.tables]]) === JSON.stringify([header, [...sums]]);
  if (!isSame) throw new Refusal(`${path}: the file changed during the restore. Nothing was changed.`);
}

function refuseUnknown(path: string, { table, columns }: Block, known: Table): void {
  const strange = columns.filter((column) => !known.columns.includes(column));
  if (strange.length === 0) return;
  throw new Refusal(
    `${path}: ${table} has columns that this version doesn't know (${strange.join(', ')}). Nothing was changed.`,
  );
}

/** What stands in the database now has to be what the file says. */
async function compare(
  client: pg.Client,
  backup: CheckedBackup,
  tables: Map<string, Table>,
  say: (line: string) => void,
): Promise<void> {
  for (const [name, sum] of backup.tables) {
    const table = tables.get(name);
    if (table === undefined) continue;
    const digest = new RowsDigest();
    for await (const rows of copyOut(client, copyOutOf(table))) for (const row of rows) digest.add(row);
    if (digest.rows !== sum.rows || digest.hex !== sum.digest) {
      throw new Refusal(
        `${name}: the restored rows don't match the backup (${digest.rows} of ${sum.rows} rows). Nothing was changed.`,
      );
    }
    if (sum.rows > 0) say(`${name}: ${counted(sum.rows, 'row')}, as in the backup`);
  }
}

/** Jobs keep the time that they had left; those in hand have lost their worker. */
async function rewindJobs(client: pg.Client, takenAt: string): Promise<void> {
  await client.query(
    `update ${JOBS} set keep_until = keep_until + (now() - $1::timestamptz),
       state = case when state = 'active' then 'retry' else state end,
       started_on = null, heartbeat_on = null`,
    [takenAt],
  );
}

async function markRestored(client: pg.Client, keyring: Keyring, takenAt: string): Promise<void> {
  await recordKey(client, keyring);
  await client.query(
    'update installation set workers_paused_at = now(), restored_at = now(), backup_taken_at = $1 where id = 1',
    [takenAt],
  );
}

/**
 * Fills an empty database from a backup, in one transaction; its workers are paused.
 * @param url of the owning role
 */
export async function restoreBackup(
  backup: CheckedBackup,
  { url, keyring, say }: Restoring & { url: string },
): Promise<void> {
  const client = await connectAsOwner(url);
  try {
    await refuseUsed(client, backup.schema);
    await forgetKey(client);
    await migrateTables(url, QUEUES, backup.schema);
    await client.query('begin');
    try {
      await client.query(`set local citus.multi_shard_modify_mode to 'sequential'`);
      const forced = await tablesForcedOn(client);
      for (const table of forced) await client.query(`alter table ${table} no force row level security`);
      await refuseRunning(client);
      await refuseRows(client);
      const tables = new Map((await tablesOf(client)).map((table) => [table.name, table]));
      await fill(client, backup, tables, say);
      for (const table of forced) await client.query(`alter table ${table} force row level security`);
      await compare(client, backup, tables, say);
      await rewindJobs(client, backup.header.taken_at);
      await markRestored(client, keyring, backup.header.taken_at);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback').catch(() => {});
      throw error;
    }
  } finally {
    await client.end();
  }
  // A backup of an older version is brought to this one only now.
  await migrate(url, keyring, QUEUES);
}
