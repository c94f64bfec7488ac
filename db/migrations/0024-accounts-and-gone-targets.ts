import { type Kysely, sql } from 'kysely';

/* Which account of a tool an integration is connected to, and what actions are about that isn't in it any more. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    `set local citus.multi_shard_modify_mode to 'sequential'`,
    `alter table integrations add column account_id text not null default ''`,
    `alter table actions add column target_gone_at timestamptz`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
