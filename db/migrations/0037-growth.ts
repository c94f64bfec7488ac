import { type Kysely, sql } from 'kysely';

/*
 * What is looked at page by page is found in the order of its pages: a filter that few rows of a large site match read
 * all the others before.
 */
const INDEXES = [
  `create index list_moves_list_idx on list_moves (site_id, list_id, joined, choice_id)`,
  `create index list_moves_joined_idx on list_moves (site_id, joined, choice_id)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  for (const statement of INDEXES) await sql.raw(statement).execute(db);
}
