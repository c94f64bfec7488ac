import { type Kysely, sql } from 'kysely';

/*
 * Until a table is analysed, the planner knows nothing about it. A new database then checks foreign keys by whatever
 * index begins with the site's id, row by row, and every connection keeps that plan: saves become slower with each one.
 * Autovacuum comes once a minute at most, and the server's role owns no table, so the owner lends it this one function.
 *
 * A table counts as grown when it has four times the pages that the planner knows of. On Citus the tables of the
 * coordinator are empty, so nothing is due there.
 */
const STATEMENTS = [
  `create function analyze_grown_tables() returns int language plpgsql security definer set search_path = pg_catalog as $$
  declare
    grown regclass;
    analyzed int := 0;
  begin
    for grown in
      select oid::regclass from pg_class
      where relkind = 'r' and relnamespace in ('public'::regnamespace, to_regnamespace('queue'))
        and pg_relation_size(oid) >= 4 * greatest(relpages, 1) * current_setting('block_size')::bigint
    loop
      execute format('analyze (skip_locked) %s', grown);
      analyzed := analyzed + 1;
    end loop;
    return analyzed;
  end $$`,
  `revoke execute on function analyze_grown_tables() from public`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
