import { type Kysely, sql } from 'kysely';
import { disableSiteStatistics, hasCitus } from '#db/tenant-table.ts';

/*
 * Tables of earlier versions have statistics about site_id (decision 055). They are no longer gathered where the old ones
 * can be deleted, which takes a superuser or PostgreSQL 18: old ones that stay must go on being renewed. The shards of a
 * cluster have their own, which the coordinator can't delete.
 */

export async function up(db: Kysely<unknown>): Promise<void> {
  if (await hasCitus(db)) return;
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c
    join pg_policy p on p.polrelid = c.oid and p.polname = c.relname || '_site'
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'site_id'
    where c.relnamespace = 'public'::regnamespace and coalesce(a.attstattarget, -1) <> 0
    order by c.relname`.execute(db);
  const deletion = await deletionOfStatistics(db);
  if (deletion === null) return;
  for (const { name } of rows) {
    await sql.raw(deletion(name)).execute(db);
    await disableSiteStatistics(db, name);
  }
}

/** @returns the statement that deletes what is known of site_id of a table; null where the role may not */
async function deletionOfStatistics(db: Kysely<unknown>): Promise<((table: string) => string) | null> {
  const { rows } = await sql<{ is_superuser: boolean; can_clear: boolean }>`
    select rolsuper as is_superuser, to_regproc('pg_catalog.pg_clear_attribute_stats') is not null as can_clear
    from pg_roles where rolname = current_user`.execute(db);
  const [role] = rows;
  if (role?.can_clear === true) {
    return (table) => `select pg_clear_attribute_stats('public', '${table}', 'site_id', false)`;
  }
  if (role?.is_superuser !== true) return null;
  return (table) => `delete from pg_statistic s using pg_attribute a
    where s.starelid = '${table}'::regclass and a.attrelid = s.starelid and a.attnum = s.staattnum and a.attname = 'site_id'`;
}
