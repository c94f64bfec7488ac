import { type Kysely, sql } from 'kysely';

/* The check of an import says about how many customers each tool is sent something. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  await sql.raw(`alter table imports add column tells jsonb not null default '{}'`).execute(db);
}
