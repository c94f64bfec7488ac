import { type Kysely, sql } from 'kysely';
import { createTenantTable } from '#db/tenant-table.ts';

/*
 * The state that each choice of an import, a tool, an owner or an API key replaced, and the undoing of many such choices
 * at once (decision 053). A process of the version before records none: what it changes until it is stopped can't be undone.
 */

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  await sql.raw(`alter table choices add column replaced jsonb`).execute(db);
  await createTenantTable(
    db,
    'bulk_undos',
    `id uuid not null,
    about jsonb not null,
    status text not null,
    counts jsonb not null,
    told jsonb not null,
    cursor uuid,
    round int not null,
    started_by text,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    started_at timestamptz,
    ended_at timestamptz,
    constraint bulk_undos_pkey primary key (site_id, id)`,
  );
  await createTenantTable(
    db,
    'bulk_undo_customers',
    `undo_id uuid not null,
    customer_id uuid not null,
    verdict text not null,
    plan jsonb not null,
    is_new boolean not null,
    choice_id uuid,
    applied_at timestamptz,
    deleted_at timestamptz,
    constraint bulk_undo_customers_pkey primary key (site_id, undo_id, customer_id)`,
    { hangsOnSite: false },
  );
  await sql
    .raw(
      `alter table bulk_undo_customers add constraint bulk_undo_customers_undo_fk
         foreign key (site_id, undo_id) references bulk_undos (site_id, id) on delete cascade`,
    )
    .execute(db);
  await sql
    .raw(
      `create index bulk_undo_customers_verdict_idx on bulk_undo_customers (site_id, undo_id, verdict, customer_id)`,
    )
    .execute(db);
}
