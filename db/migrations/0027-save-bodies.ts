import { type Kysely, sql } from 'kysely';

/** What a save id stands for: a keyed hash of the body that it came with. Choices from before have none. */
const STATEMENT = 'alter table choices add column save_hash bytea';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  await sql.raw(STATEMENT).execute(db);
}
