import { type Kysely, sql } from 'kysely';
import { createTenantTable } from '#db/tenant-table.ts';

const STATEMENTS = [
  `create index comparisons_integration_idx on comparisons (site_id, integration_id, id)`,
  // One at a time for each tool, whichever process or person begins it.
  `create unique index comparisons_running_key on comparisons (site_id, integration_id)
    where status = 'running' and kind <> 'mending'`,
  `create unique index comparisons_mending_key on comparisons (site_id, integration_id)
    where status = 'running' and kind = 'mending'`,
  `create index differences_integration_idx on differences (site_id, integration_id, status, id)`,
  // One for each thing that a person can have in a tool.
  `create unique index differences_live_key on differences (site_id, integration_id, customer_id, target_key)
    where status in ('open', 'dismissed')`,
  `create index differences_customer_idx on differences (site_id, customer_id)`,
  // Also for tools that are connected already; each waits for its own time of the night.
  `insert into tool_chores (site_id, integration_id, kind, due_at, lease)
    select site_id, id, 'comparison', created_at, null from integrations where deleted_at is null`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  await createTenantTable(
    db,
    'comparisons',
    `id uuid not null,
    integration_id uuid not null,
    kind text not null constraint comparisons_kind_check check (kind in ('nightly', 'on_demand', 'mending')),
    status text not null constraint comparisons_status_check
      check (status in ('running', 'finished', 'cancelled', 'failed')),
    filter jsonb,
    cursor uuid,
    counts jsonb not null,
    error text,
    failing_since timestamptz,
    started_at timestamptz not null,
    finished_at timestamptz,
    started_by uuid,
    constraint comparisons_pkey primary key (site_id, id)`,
  );
  await createTenantTable(
    db,
    'differences',
    `id uuid not null,
    comparison_id uuid not null,
    integration_id uuid not null,
    customer_id uuid not null,
    action_id uuid,
    target_key text not null,
    kind text not null constraint differences_kind_check
      check (kind in ('opt_out_missing', 'not_applied', 'opted_out_there')),
    change jsonb not null,
    ours jsonb not null,
    theirs jsonb not null,
    status text not null constraint differences_status_check
      check (status in ('open', 'mended', 'dismissed', 'gone')),
    error text,
    created_at timestamptz not null,
    resolved_at timestamptz,
    constraint differences_pkey primary key (site_id, id)`,
  );
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
