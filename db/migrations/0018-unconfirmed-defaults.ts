import { type Kysely, sql } from 'kysely';

/*
 * A list that people confirm by email is off until they do. Some lists were on by default all the same: the end of a pause
 * told tools about people who had never confirmed. A process of the version before may still save such a list until it is
 * stopped; this version then refuses the next change of it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  await sql.raw(`update lists set default_state = false where double_opt_in and default_state`).execute(db);
}
