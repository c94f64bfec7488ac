import { type Kysely, sql } from 'kysely';

/*
 * How many rows of an import have a value in each column, and the numbers of the rows with its first values: only numbers,
 * so that erasing a row erases its values here, too. A process of the version before leaves it empty.
 */

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  await sql.raw(`alter table imports add column column_samples jsonb`).execute(db);
}
