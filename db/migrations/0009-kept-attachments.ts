import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`alter table kept_mails add column attachments jsonb not null default '[]'`).execute(db);
}
