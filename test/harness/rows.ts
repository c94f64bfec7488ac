import type pg from 'pg';

/** Count and checksum of every table, by name. */
export type Rows = Record<string, string>;

/** What is in the database: two of these are equal exactly when no row was added, taken away or changed. */
export async function readRows(owner: pg.Pool): Promise<Rows> {
  const tables = await owner.query<{ name: string }>(
    `select format('%I.%I', nspname, relname) as name
     from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where relkind = 'r' and nspname in ('public', 'queue') order by 1`,
  );
  const parts = tables.rows.map(
    ({ name }) =>
      `select '${name}' as name, count(*) || ' ' || md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as sum from ${name} t`,
  );
  const { rows } = await owner.query<{ name: string; sum: string }>(parts.join(' union all '));
  return Object.fromEntries(rows.map(({ name, sum }) => [name, sum]));
}
