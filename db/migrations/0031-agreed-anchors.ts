import { type Kysely, sql } from 'kysely';

/*
 * The email that has agreed to get a site's signed heads. Mailboxes from before have to agree, too: those who saved them
 * could name anybody's. The address itself, so that a process of the version before, which changes only where the heads
 * go, takes the agreement of the former mailbox away.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  await sql.raw(`alter table sites add column evidence_anchor_agreed text not null default ''`).execute(db);
}
