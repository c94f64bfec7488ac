import { type Kysely, sql } from 'kysely';

/*
 * The SHA-256 of an import's file, for the evidence of what it changes. A process of the version before leaves it empty.
 */

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  await sql.raw(`alter table imports add column file_hash bytea`).execute(db);
}
