import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // The sequence of the address change that this choice takes back.
  await sql`alter table choices add column takes_back int`.execute(db);
}
