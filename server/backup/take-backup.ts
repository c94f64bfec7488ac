import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { hasCitus } from '#db/tenant-table.ts';
import { counted, Refusal } from '#server/command.ts';
import { fingerprintsOf } from '#server/platform/installation.ts';
import { copyOut } from '#server/platform/copy.ts';
import { NEWEST_MIGRATION } from '#server/platform/migrate.ts';
import type { Keyring } from '#server/platform/secrets.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { FORMAT, FORMAT_VERSION, type Header } from './format.ts';
import { progressOf } from './progress.ts';
import { copyOutOf, SAME_TEXT, type Table, tablesOf } from './tables.ts';
import { type BackupWriter, writeBackup } from './write-file.ts';

export const PRODUCT_VERSION = packageJson.version;

/** Is this database a Citus coordinator? */
export async function isDistributed(url: string): Promise<boolean> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    return await hasCitus(db);
  } finally {
    await db.destroy();
  }
}

/** A connection of its own, for a long copy. */
export async function connectAsOwner(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, keepAlive: true });
  // What is under way fails with it.
  client.on('error', () => {});
  await client.connect();
  for (const setting of SAME_TEXT) await client.query(setting);
  return client;
}

/** Tables whose rows row-level security would hide from this role, which no error would tell. */
async function refuseHiddenRows(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; role: string }>(
    `select c.relname as name, current_user as role from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and row_security_active(c.oid)
     and not exists (
       select 1 from pg_policy p
       where p.polrelid = c.oid and p.polpermissive and p.polcmd = '*' and pg_get_expr(p.polqual, p.polrelid) = 'true'
       and exists (select 1 from pg_roles r where r.oid = any(p.polroles) and pg_has_role(r.oid, 'usage')))
     order by 1`,
  );
  const [first] = rows;
  if (first === undefined) return;
  throw new Refusal(
    `DATABASE_URL: the role ${first.role} can't read the rows of ${counted(rows.length, 'table')} (${first.name}, ...). Use the role that Sayso starts with.`,
  );
}

async function headerOf(client: pg.Client, keyring: Keyring, perSite: boolean): Promise<Header> {
  const { rows } = await client.query<{ now: Date }>('select now() as now');
  return {
    format: FORMAT,
    version: FORMAT_VERSION,
    product: PRODUCT_VERSION,
    schema: NEWEST_MIGRATION,
    snapshot: perSite ? 'per_site' : 'one',
    key_fingerprints: fingerprintsOf(keyring),
    taken_at: (rows[0]?.now ?? new Date()).toISOString(),
  };
}

interface Copying {
  client: pg.Client;
  writer: BackupWriter;
  say: (line: string) => void;
}

async function copyTable({ client, writer, say }: Copying, table: Table, siteId?: string): Promise<void> {
  const { name, columns } = table;
  const rows = copyOut(client, copyOutOf(table, siteId));
  await writer.rows({ table: name, columns }, rows, progressOf(name, say));
}

const SNAPSHOT = 'begin isolation level repeatable read read only';

/** All tables as they were at one moment. */
async function copyInOneSnapshot(copying: Copying, tables: readonly Table[]): Promise<void> {
  for (const table of tables) await copyTable(copying, table);
}

/**
 * Nodes share no snapshot, but the rows of a site lie on one of them: everything before any tenant is as it was at one
 * moment, and each site at one of its own, later. Jobs are among the former; a delivery that was recorded in between
 * gets its job when the copy is restored.
 */
async function copySiteBySite(copying: Copying, tables: readonly Table[]): Promise<void> {
  const { client, say } = copying;
  for (const table of tables.filter(({ isOfSites }) => !isOfSites)) await copyTable(copying, table);
  const { rows: sites } = await client.query<{ id: string }>('select id from sites order by id');
  await client.query('commit');
  for (const [index, { id }] of sites.entries()) {
    await client.query(SNAPSHOT);
    for (const table of tables.filter(({ isOfSites }) => isOfSites)) await copyTable(copying, table, id);
    await client.query('commit');
    say(`site ${index + 1} of ${sites.length} (${id})`);
  }
}

/**
 * Writes everything that the database holds into a file, while the product runs.
 * @param options.url of the owning role
 * @param options.perSite a snapshot of each site instead of one of everything; default: where there is Citus
 * @returns how many rows
 */
export async function takeBackup(
  path: string,
  {
    url,
    keyring,
    say,
    ...options
  }: { url: string; keyring: Keyring; say: (line: string) => void; perSite?: boolean },
): Promise<{ rows: number; tables: number }> {
  const perSite = options.perSite ?? (await isDistributed(url));
  const client = await connectAsOwner(url);
  try {
    await refuseHiddenRows(client);
    await client.query(SNAPSHOT);
    const tables = await tablesOf(client);
    const sums = await writeBackup(path, await headerOf(client, keyring, perSite), async (writer) => {
      const copying = { client, writer, say };
      if (perSite) await copySiteBySite(copying, tables);
      else await copyInOneSnapshot(copying, tables);
    });
    for (const [table, { rows }] of sums) if (rows > 0) say(`${table}: ${counted(rows, 'row')}`);
    return { rows: [...sums.values()].reduce((all, { rows }) => all + rows, 0), tables: sums.size };
  } finally {
    await client.end();
  }
}
