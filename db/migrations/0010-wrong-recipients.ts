import { type Kysely, sql } from 'kysely';

/*
 * When the reader of a customer's inbox said that they are somebody else. A process of the version before leaves it as it
 * is; it counts only while `global_unsubscribe` is set without an end.
 */

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  await sql.raw(`alter table customers add column wrong_recipient_at timestamptz`).execute(db);
}
