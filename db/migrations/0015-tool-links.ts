import { type Kysely, sql } from 'kysely';
import { createTenantTable } from '#db/tenant-table.ts';

const STATEMENTS = [
  `alter table link_fields add constraint link_fields_integration_key unique (site_id, integration_id)`,
  `alter table kept_links add constraint kept_links_field_fk foreign key (site_id, link_field_id) references link_fields (site_id, id) on delete cascade`,
  // For the erasure of a person.
  `create index kept_links_customer_idx on kept_links (site_id, customer_id)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  // Another field is another row: what was kept in the one before goes with it.
  await createTenantTable(
    db,
    'link_fields',
    `id uuid not null,
    integration_id uuid not null,
    field_id text not null,
    field_name text not null,
    round_cursor uuid,
    round_due_at timestamptz not null,
    choice_cursor uuid,
    trouble text,
    created_at timestamptz not null,
    constraint link_fields_pkey primary key (site_id, id)`,
  );
  await createTenantTable(
    db,
    'kept_links',
    `link_field_id uuid not null,
    customer_id uuid not null,
    state text not null constraint kept_links_state_check check (state in ('kept', 'unknown', 'refused')),
    token bytea not null,
    key_id bytea not null,
    sequence int not null,
    tries int not null,
    error text,
    tried_at timestamptz not null,
    retry_at timestamptz,
    constraint kept_links_pkey primary key (site_id, link_field_id, customer_id)`,
    { hangsOnSite: false },
  );
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
