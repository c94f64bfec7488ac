import { type Kysely, sql } from 'kysely';

/*
 * On which visit of a page a choice was made: what was decided elsewhere since a page was shown stands, unless somebody
 * moved its switch (decision 063). Customers say since when all choices were made on the same visit, so that a page that
 * saves often reads no history. A process of the version before records none of it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  await sql.raw(`alter table choices add column visit_id bytea`).execute(db);
  await sql.raw(`alter table customers add column visit_id bytea`).execute(db);
  await sql.raw(`alter table customers add column visit_from integer`).execute(db);
}
