import { type Kysely, sql } from 'kysely';

/** Lowering consent works from every link, so nothing has to tell an old link from a new one any more. */
const STATEMENTS = [
  'alter table customers drop column consent_epoch',
  'alter table customers drop column returned_epoch',
  'alter table subscriptions drop column returned_epoch',
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
