import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // Before any tenant, because an account of a tool may serve several sites. Counts calls, so that losing it costs little.
  `create unlogged table tool_paces (
    account text constraint tool_paces_pkey primary key,
    free_at timestamptz not null,
    slowdown real not null
  )`,
  // How often in a row it did not answer, and until when nobody asks it.
  `alter table integrations add column failures_in_a_row int not null default 0`,
  `alter table integrations add column rests_until timestamptz`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
