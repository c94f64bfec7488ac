import type pg from 'pg';
import { isOnCitus } from './nodes.ts';

/** Count and checksum of every table, by name. */
export type Rows = Record<string, string>;

const statements = new WeakMap<pg.Pool, string>();

/** One statement over every table. A sum of row hashes needs no sorting: a twentieth of the time of a digest in order. */
async function checksumStatement(owner: pg.Pool): Promise<string> {
  const tables = await owner.query<{ name: string }>(
    `select format('%I.%I', nspname, relname) as name
     from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where relkind = 'r' and nspname in ('public', 'queue')
       -- The queue's own figures, which it renews by the clock.
       and not (nspname = 'queue' and relname like 'queue%')
     order by 1`,
  );
  const parts = tables.rows.map(
    ({ name }) =>
      `select '${name}' as name, count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)), 0) as sum from ${name} t`,
  );
  return parts.join(' union all ');
}

/** What is in the database: two of these are equal exactly when no row was added, taken away or changed. */
export async function readRows(owner: pg.Pool): Promise<Rows> {
  const text = statements.get(owner) ?? (await checksumStatement(owner));
  statements.set(owner, text);
  const { rows } = await owner.query<{ name: string; sum: string }>({ name: 'checksums', text });
  return Object.fromEntries(rows.map(({ name, sum }) => [name, sum]));
}

/** Which tables were written to, as the database itself notes with every row: cheap enough to ask around thousands of calls. */
export interface Writes {
  /** From now on. */
  forget(): Promise<void>;
  /** Tables in which committed work added, changed or took away rows since then. */
  tables(): Promise<string[]>;
}

/** @param owner of a database that ends with the test: its tables get triggers */
export async function noteWrites(owner: pg.Pool): Promise<Writes> {
  if (isOnCitus) return compareRows(owner);
  await owner.query(`
    create schema noted;
    create unlogged table noted.writes (name text not null);
    create function noted.note() returns trigger language plpgsql security definer set search_path = pg_catalog as $$
      begin
        insert into noted.writes values (format('%I.%I', tg_table_schema, tg_table_name));
        return null;
      end $$`);
  const { rows } = await owner.query<{ name: string }>(
    `select format('%I.%I', nspname, relname) as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where relkind = 'r' and nspname in ('public', 'queue')
       and not (nspname = 'queue' and relname like 'queue%')`,
  );
  const triggers = rows.map(
    ({ name }) =>
      `create trigger note_rows after insert or update or delete on ${name} for each row execute function noted.note();
       create trigger note_truncation after truncate on ${name} execute function noted.note()`,
  );
  await owner.query(triggers.join(';'));
  return {
    async forget() {
      await owner.query('delete from noted.writes');
    },
    async tables() {
      const written = await owner.query<{ name: string }>(
        'select distinct name from noted.writes order by 1',
      );
      return written.rows.map(({ name }) => name);
    },
  };
}

/** For Citus, which has no triggers on distributed tables. */
function compareRows(owner: pg.Pool): Writes {
  let before: Rows = {};
  return {
    async forget() {
      before = await readRows(owner);
    },
    async tables() {
      const after = await readRows(owner);
      return Object.keys(after).filter((table) => after[table] !== before[table]);
    },
  };
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
