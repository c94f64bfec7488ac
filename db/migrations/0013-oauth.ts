import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // By credentials that an owner typed in, or by a login at the tool, whose tokens are renewed.
  `alter table integrations add column connected_by text not null default 'credentials'`,
  `alter table integrations add constraint integrations_connected_by_check check (connected_by in ('credentials', 'oauth'))`,
  // Before any tenant, so that one look finds what is due on every site. Holds ids only.
  `create table tool_tokens (
    site_id uuid not null,
    integration_id uuid not null,
    renew_at timestamptz,
    lease uuid,
    busy_until timestamptz,
    constraint tool_tokens_pkey primary key (site_id, integration_id)
  )`,
  `alter table tool_tokens add constraint tool_tokens_site_fk foreign key (site_id) references sites (id) on delete cascade`,
  `create index tool_tokens_renew_idx on tool_tokens (renew_at) where renew_at is not null`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
