import { type Kysely, sql } from 'kysely';

/*
 * Since when it is known that the mailbox of an account is its owner's: whoever signs up types any address. Accounts from
 * before count as proven, because they can't be asked, and an emailed link must not take away their second factors.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    `set local citus.multi_shard_modify_mode to 'sequential'`,
    `alter table users add column email_proven_at timestamptz`,
    `update users set email_proven_at = created_at`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
