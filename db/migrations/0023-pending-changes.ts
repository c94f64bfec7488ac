import { type Kysely, sql } from 'kysely';
import { createTenantTable } from '#db/tenant-table.ts';

const STATEMENTS = [
  `alter table pending_changes add constraint pending_changes_customer_fk foreign key (site_id, customer_id) references customers (site_id, id) on delete cascade`,
  // How a choice was asked for that was confirmed by email afterwards.
  `alter table choices add column requested jsonb`,
  `alter table appointments drop constraint appointments_kind_check`,
  `alter table appointments add constraint appointments_kind_check check (kind in ('resume', 'erase', 'pending_end'))`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  await createTenantTable(
    db,
    'pending_changes',
    `customer_id uuid not null,
    kind text not null constraint pending_changes_kind_check check (kind in ('resubscribe', 'email_change')),
    id uuid not null,
    save_id text,
    sequence int not null,
    wish_sealed text not null,
    requested jsonb not null,
    expires_at timestamptz not null,
    constraint pending_changes_pkey primary key (site_id, customer_id, kind)`,
    { hangsOnSite: false },
  );
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
