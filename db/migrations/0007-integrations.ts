import { type Kysely, sql } from 'kysely';
import { createTenantTable } from '#db/tenant-table.ts';

const STATEMENTS = [
  `alter table integrations add column account_name text not null default ''`,
  `alter table integrations add column status_reason text`,
  `alter table integrations add column failing_since timestamptz`,
  `alter table integrations add column deleted_at timestamptz`,
  // When the tool was seen to be where the delivery brought it.
  `alter table deliveries add column confirmed_at timestamptz`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  // Who is being brought up to date in which tool; a worker that was killed gives the turn back by its end.
  await createTenantTable(
    db,
    'tool_turns',
    `integration_id uuid not null,
    customer_id uuid not null,
    delivery_id uuid not null,
    until timestamptz not null,
    constraint tool_turns_pkey primary key (site_id, integration_id, customer_id)`,
  );
}
