import { type Kysely, sql } from 'kysely';
import { hasCitus } from '#db/tenant-table.ts';

/*
 * Citus moves shards by logical replication, which refuses tables with forced row-level security: a cluster couldn't be
 * rebalanced. FORCE binds only the owner of the tables, and the server's role owns none. On plain PostgreSQL
 * nothing changes.
 */

export async function up(db: Kysely<unknown>): Promise<void> {
  if (!(await hasCitus(db))) return;
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relforcerowsecurity and relnamespace = 'public'::regnamespace order by relname`.execute(db);
  for (const { name } of rows) await sql.raw(`alter table ${name} no force row level security`).execute(db);
}
