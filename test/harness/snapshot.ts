import type pg from 'pg';

/** What a database held at one moment. To go back to it takes a tenth of what another copy takes. */
export interface Snapshot {
  /** A digest of tables, columns, constraints, policies, functions, triggers and rights. */
  structure: string;
  tables: readonly string[];
  /** As JSON, by table: of those that held any. */
  rows: ReadonlyMap<string, string>;
}

const SCHEMAS = `('public', 'queue')`;

const STRUCTURE = `
  with schemas as (select oid from pg_namespace where nspname in ${SCHEMAS}),
  parts as (
    select row(oid, relname, relkind, relowner, relacl, reloptions, relrowsecurity, relforcerowsecurity)::text as part
      from pg_class where relnamespace in (select oid from schemas)
    union all
    select row(attrelid, attname, atttypid, attnotnull, atthasdef, attisdropped, attstattarget, attacl)::text
      from pg_attribute join pg_class on pg_class.oid = attrelid
      where attnum > 0 and relkind in ('r', 'p') and relnamespace in (select oid from schemas)
    union all select row(oid, conname, convalidated)::text from pg_constraint where connamespace in (select oid from schemas)
    union all select row(oid, polname)::text from pg_policy
    union all select row(oid, md5(prosrc), proacl)::text from pg_proc where pronamespace in (select oid from schemas)
    union all select row(oid, tgenabled)::text from pg_trigger where not tgisinternal
    union all select row(oid, evtenabled)::text from pg_event_trigger
    union all select row(nspname, nspacl)::text from pg_namespace where nspname !~ '^pg_'
    union all select row(setrole, setconfig)::text from pg_db_role_setting
      where setdatabase in (0, (select oid from pg_database where datname = current_database())))
  select md5(string_agg(part, ' ' order by part)) as structure from parts`;

/** From this size on, the product has tables analyzed, and dead rows are in the way of those who come next. */
const LARGE_BYTES = 32_768;

async function structureOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ structure: string }>(STRUCTURE);
  return rows[0]?.structure ?? '';
}

interface Filled {
  name: string;
  is_large: boolean;
}

async function filledOf(client: pg.Client, tables: readonly string[]): Promise<Filled[]> {
  const parts = tables.map(
    (table) =>
      `select '${table}' as name, exists (select from ${table}) as is_filled, pg_relation_size('${table}') >= ${LARGE_BYTES}
         or (select reltuples > 0 from pg_class where oid = '${table}'::regclass) as is_large`,
  );
  const { rows } = await client.query<Filled>(
    `select name, is_large from (${parts.join(' union all ')}) as all_tables where is_filled or is_large`,
  );
  return rows;
}

/** @param client of a superuser, in that database */
export async function takeSnapshot(client: pg.Client): Promise<Snapshot> {
  const found = await client.query<{ name: string }>(
    `select format('%I.%I', nspname, relname) as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where relkind = 'r' and nspname in ${SCHEMAS} order by 1`,
  );
  const tables = found.rows.map(({ name }) => name);
  const rows = new Map<string, string>();
  for (const { name } of await filledOf(client, tables)) {
    const all = await client.query<{ json: string | null }>(
      `select json_agg(t)::text as json from ${name} t`,
    );
    const json = all.rows[0]?.json ?? null;
    if (json !== null) rows.set(name, json);
  }
  return { structure: await structureOf(client), tables, rows };
}

/**
 * Takes away all rows that came since, and brings back what was there. Rows of small tables are deleted one by one, so that
 * a product that goes on need not plan its statements anew.
 * @returns false: something other than rows has changed, so that nothing was done
 */
export async function goBackTo({
  client,
  snapshot,
}: {
  client: pg.Client;
  snapshot: Snapshot;
}): Promise<boolean> {
  if ((await structureOf(client)) !== snapshot.structure) return false;
  const filled = await filledOf(client, snapshot.tables);
  const namesOf = (isLarge: boolean) =>
    filled.filter((one) => one.is_large === isLarge).map(({ name }) => name);
  const [large, small] = [namesOf(true), namesOf(false)];
  await client.query(
    [
      'begin',
      // No foreign key is looked at until all is as it was.
      'set local session_replication_role = replica',
      ...(large.length > 0 ? [`truncate ${large.join(', ')} cascade`] : []),
      ...large.map((name) => `delete from pg_statistic where starelid = '${name}'::regclass`),
      ...[...small, ...snapshot.rows.keys()].map((name) => `delete from ${name}`),
    ].join(';'),
  );
  for (const [name, json] of snapshot.rows)
    await client.query(`insert into ${name} select * from json_populate_recordset(null::${name}, $1::json)`, [
      json,
    ]);
  await client.query('commit');
  return true;
}
