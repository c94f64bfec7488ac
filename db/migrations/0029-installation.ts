import { type Kysely, sql } from 'kysely';
import { openToOwner } from '#db/tenant-table.ts';

/*
 * What the product knows about the database as a whole: which key it is used with, and whether its workers have to wait.
 * And policies for the owning role: row-level security is forced on it, so that it saw no tenant row until now.
 */

/** One row at most. Local to the coordinator where there is Citus. */
const INSTALLATION = `
  create table installation (
    id int constraint installation_pkey primary key constraint installation_single_check check (id = 1),
    key_fingerprint text not null,
    workers_paused_at timestamptz,
    restored_at timestamptz,
    backup_taken_at timestamptz
  )`;

interface Table {
  name: string;
}

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  await sql.raw(INSTALLATION).execute(db);
  const { rows } = await sql<Table>`
    select c.relname as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relforcerowsecurity
    and not exists (select 1 from pg_policy p where p.polrelid = c.oid and p.polname = c.relname || '_owner')
    order by 1`.execute(db);
  for (const { name } of rows) await openToOwner(db, name);
}
