import { type Kysely, sql } from 'kysely';

/*
 * Rows that are not committed take up pages, but ANALYZE doesn't count them: during a large transaction it found a table
 * of many pages without a row, and the planner then checked foreign keys by any index that begins with the site's id.
 * Now a table counts as grown only if it has committed rows, and also if it was found empty before.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`create or replace function analyze_grown_tables() returns int language plpgsql security definer set search_path = pg_catalog as $$
  declare
    grown regclass;
    analyzed int := 0;
    page constant int := current_setting('block_size')::int;
  begin
    for grown in
      select oid::regclass from pg_class
      where relkind = 'r' and relnamespace in ('public'::regnamespace, to_regnamespace('queue'))
        and pg_relation_size(oid) >= 4 * page
        and (pg_relation_size(oid) >= 4::bigint * page * relpages or reltuples = 0)
        and pg_stat_get_live_tuples(oid) > 0
    loop
      execute format('analyze (skip_locked) %s', grown);
      analyzed := analyzed + 1;
    end loop;
    return analyzed;
  end $$`)
    .execute(db);
}
