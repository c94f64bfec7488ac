import { type Kysely, sql } from 'kysely';

/*
 * How the customer of a complaint had come to the page: by a personal link, or with an address that anyone can type. Of
 * complaints from before, nobody knows.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  await sql.raw(`alter table complaints add column level text`).execute(db);
}
