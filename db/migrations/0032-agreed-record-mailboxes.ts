import { type Kysely, sql } from 'kysely';

/*
 * Which mailboxes have agreed to get a site's evidence by email, and which stopped it. Those of actions from before have
 * to agree, too, but for the members' own: the people who saved them could name anybody's.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  await sql.raw(`alter table sites add column record_mailboxes jsonb not null default '{}'`).execute(db);
}
