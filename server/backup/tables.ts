import type pg from 'pg';
import { QUEUE_SCHEMA } from '#server/platform/queue.ts';

/* Which tables a backup holds: found in the catalog, so that a new one is in it without being named here. */

export interface Table {
  /** With its schema. */
  name: string;
  columns: string[];
  /** Rows of one site each, behind row-level security. */
  isOfSites: boolean;
}

/** Made by the migrations and by starting, in the database that is restored into. */
const NOT_COPIED = ['public.kysely_migration', 'public.kysely_migration_lock', 'public.installation'];

export const JOBS = `${QUEUE_SCHEMA}.job`;

/** Jobs that are still to be done; of the queue's other tables each start makes its own. */
const OPEN_JOBS = `state < 'completed'`;

interface CatalogTable {
  name: string;
  columns: string[];
  secured: boolean;
}

/**
 * Parents before the tables that refer to them. Unlogged ones (counters of rate limits and of paces) are left out: they
 * do not outlive a crash of PostgreSQL either.
 */
export async function tablesOf(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<CatalogTable>(
    `select n.nspname || '.' || c.relname as name, c.relrowsecurity as secured,
       (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relpersistence = 'p' and not c.relispartition and c.relkind in ('r', 'p')
       and (n.nspname = 'public' or n.nspname || '.' || c.relname = $1)
     order by 1`,
    [JOBS],
  );
  const parents = await client.query<{ child: string; parent: string }>(
    `select cn.nspname || '.' || c.relname as child, pn.nspname || '.' || p.relname as parent
     from pg_constraint k
     join pg_class c on c.oid = k.conrelid join pg_namespace cn on cn.oid = c.relnamespace
     join pg_class p on p.oid = k.confrelid join pg_namespace pn on pn.oid = p.relnamespace
     where k.contype = 'f' and k.conrelid <> k.confrelid`,
  );
  const tables = rows
    .filter(({ name }) => !NOT_COPIED.includes(name))
    .map(({ name, columns, secured }) => ({ name, columns, isOfSites: secured }));
  return parentsFirst(tables, parents.rows);
}

function parentsFirst(tables: Table[], references: { child: string; parent: string }[]): Table[] {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const sorted = new Set<Table>();
  const seen = new Set<Table>();
  function add(table: Table): void {
    if (seen.has(table)) return;
    seen.add(table);
    for (const { child, parent } of references) {
      const other = byName.get(parent);
      if (child === table.name && other !== undefined) add(other);
    }
    sorted.add(table);
  }
  for (const table of tables) add(table);
  return [...sorted];
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
export const listOf = (columns: readonly string[]) => columns.map(quoted).join(', ');

/** @param siteId only this site's rows: a statement that reaches one node where there are several */
export function copyOutOf({ name, columns }: Table, siteId?: string): string {
  const where = [
    ...(name === JOBS ? [OPEN_JOBS] : []),
    ...(siteId === undefined ? [] : [`site_id = '${siteId}'::uuid`]),
  ];
  const filter = where.length === 0 ? '' : ` where ${where.join(' and ')}`;
  return `copy (select ${listOf(columns)} from ${name}${filter}) to stdout`;
}

/** Every server writes the same value with the same characters. */
export const SAME_TEXT = [
  `set client_encoding to 'UTF8'`,
  `set datestyle to 'ISO, YMD'`,
  `set intervalstyle to 'postgres'`,
  `set timezone to 'UTC'`,
  `set extra_float_digits to 3`,
  `set bytea_output to 'hex'`,
  `set statement_timeout to 0`,
  `set lock_timeout to 0`,
  `set idle_in_transaction_session_timeout to 0`,
];
