import { type Kysely, sql } from 'kysely';
import { createTenantTable } from '#db/tenant-table.ts';

const STATEMENTS = [
  // Who pauses counts as having left until the pause ends.
  `alter table customers add column paused_until timestamptz`,
  `alter table customers add constraint customers_pause_check check (paused_until is null or global_unsubscribe)`,
  // The consent epoch at which the person last came back from having left everything.
  `alter table customers add column returned_epoch int not null default 0`,
  // Keyed hash of an erased address that had left everything: whoever is made anew with it has left still.
  `alter table customers add column erased_key bytea`,
  `create index customers_erased_idx on customers (site_id, erased_key) where erased_key is not null`,
  // The same for one list.
  `alter table subscriptions add column returned_epoch int not null default 0`,
  `alter table choices add column paused_until timestamptz`,
  // Before any tenant, so that one look finds what is due on every site. Holds ids only.
  `create table appointments (
    site_id uuid not null,
    customer_id uuid not null,
    kind text not null constraint appointments_kind_check check (kind in ('resume', 'erase')),
    due_at timestamptz not null,
    created_at timestamptz not null,
    constraint appointments_pkey primary key (site_id, customer_id, kind)
  )`,
  `alter table appointments add constraint appointments_site_fk foreign key (site_id) references sites (id) on delete cascade`,
  `create index appointments_due_idx on appointments (due_at)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  await createTenantTable(
    db,
    'leave_reasons',
    `choice_id uuid not null,
    customer_id uuid not null,
    reason text not null,
    created_at timestamptz not null,
    constraint leave_reasons_pkey primary key (site_id, choice_id)`,
  );
  await sql.raw(`create index leave_reasons_time_idx on leave_reasons (site_id, created_at)`).execute(db);
}
