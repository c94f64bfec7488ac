import { type Kysely, sql } from 'kysely';

/*
 * An ANALYZE during a large transaction counts the pages of its rows, but not the rows: a table with a few committed rows
 * then seemed nearly empty however many came, until it had four times the pages or autovacuum looked. Now a table counts
 * as grown also if it has twice the rows that ANALYZE found.
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
        and (pg_relation_size(oid) >= 4::bigint * page * relpages or pg_stat_get_live_tuples(oid) >= 2 * reltuples)
        and pg_stat_get_live_tuples(oid) > 0
    loop
      execute format('analyze (skip_locked) %s', grown);
      analyzed := analyzed + 1;
    end loop;
    return analyzed;
  end $$`)
    .execute(db);
}
