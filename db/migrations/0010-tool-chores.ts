import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // Before any tenant, so that one look finds what is due on every site. Holds ids only.
  `create table tool_chores (
    site_id uuid not null,
    integration_id uuid not null,
    kind text not null,
    due_at timestamptz not null,
    lease uuid,
    constraint tool_chores_pkey primary key (site_id, integration_id, kind)
  )`,
  `alter table tool_chores add constraint tool_chores_site_fk foreign key (site_id) references sites (id) on delete cascade`,
  `create index tool_chores_due_idx on tool_chores (due_at)`,
  // Also for tools that were connected before they were polled at all.
  `insert into tool_chores (site_id, integration_id, kind, due_at, lease)
    select site_id, id, 'poll', created_at, null from integrations
    where deleted_at is null and provider in ('hubspot', 'salesforce', 'sendlane')`,
  `drop table tool_polls`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
