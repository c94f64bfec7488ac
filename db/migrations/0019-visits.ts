import { type Kysely, sql } from 'kysely';

/*
 * On which visit of a page a choice was made: what was decided elsewhere since a page was shown stands, unless somebody
 * moved its switch (decision 063). A process of the version before records none.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  await sql.raw(`alter table choices add column visit_id bytea`).execute(db);
}
