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

/**
 * Runs something that must leave no trace, beside a worker that is busy with what was before it.
 * @returns what is different afterwards: tables outside the queue, and jobs that were made meanwhile
 */
export async function changesBy(owner: pg.Pool, work: () => Promise<unknown>): Promise<string[]> {
  const began = await owner.query<{ at: Date }>('select now() as at');
  const before = await readRows(owner);
  await work();
  const after = await readRows(owner);
  const jobs = await owner.query<{ name: string }>('select name from queue.job where created_on > $1', [
    began.rows[0]?.at,
  ]);
  const tables = Object.keys(after).filter(
    (table) => !table.startsWith('queue.') && after[table] !== before[table],
  );
  return [...tables, ...jobs.rows.map(({ name }) => `a job for ${name}`)];
}
