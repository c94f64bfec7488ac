import { type Kysely, sql } from 'kysely';

const STATEMENT = 'alter table page_drafts add column editor_id text';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  await sql.raw(STATEMENT).execute(db);
}
