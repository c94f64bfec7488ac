import { type Kysely, sql } from 'kysely';

/*
 * When an API key was last used, for owners who look for keys that nobody needs any more. A process of the version before
 * leaves it empty.
 */

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  await sql.raw(`alter table api_keys add column last_used_at timestamptz`).execute(db);
}
