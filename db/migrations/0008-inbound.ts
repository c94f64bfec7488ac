import { type Kysely, sql } from 'kysely';
import { createTenantTable } from '#db/tenant-table.ts';

const STATEMENTS = [
  // What the tool signs its webhooks with, sealed; empty until an owner enters it.
  `alter table integrations add column webhook_secret_sealed text not null default ''`,
  // Where the next poll of the tool goes on.
  `alter table integrations add column poll_cursor text`,
  // What is wrong with its polls, told once.
  `alter table integrations add column poll_error text`,
  // Before any tenant, so that one look finds what is due on every site. Holds ids only.
  `create table tool_polls (
    site_id uuid not null,
    integration_id uuid not null,
    due_at timestamptz not null,
    lease uuid,
    constraint tool_polls_pkey primary key (site_id, integration_id)
  )`,
  `alter table tool_polls add constraint tool_polls_site_fk foreign key (site_id) references sites (id) on delete cascade`,
  `create index tool_polls_due_idx on tool_polls (due_at)`,
];

const INDEXES = [
  `create unique index inbound_events_id_key on inbound_events (site_id, integration_id, id)`,
  // For the erasure of a person.
  `create index inbound_events_customer_idx on inbound_events (site_id, customer_id) where customer_id is not null`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  await createTenantTable(
    db,
    'inbound_requests',
    `id uuid not null,
    integration_id uuid not null,
    provider text not null,
    state text not null constraint inbound_requests_state_check check (state in ('waiting', 'done', 'failed')),
    sealed text,
    received_at timestamptz not null,
    constraint inbound_requests_pkey primary key (site_id, id)`,
  );
  await createTenantTable(
    db,
    'inbound_events',
    `id uuid not null,
    integration_id uuid not null,
    event_key bytea not null,
    kind text,
    occurred_at timestamptz not null,
    received_at timestamptz not null,
    customer_id uuid,
    email_sealed text,
    outcome text not null constraint inbound_events_outcome_check check (outcome in ('applied', 'ignored', 'failed')),
    reason text,
    choice_id uuid,
    constraint inbound_events_pkey primary key (site_id, integration_id, event_key)`,
  );
  for (const statement of INDEXES) await sql.raw(statement).execute(db);
}
