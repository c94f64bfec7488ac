import { type Kysely, sql } from 'kysely';
import { createTenantTable } from '#db/tenant-table.ts';

/*
 * Complaints of customers about how their data is used, and the timer that notifies the owners. A process of the version
 * before knows neither: it leaves the timer due, for the next one.
 */

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  await createTenantTable(
    db,
    'complaints',
    `id uuid not null,
    customer_id uuid not null,
    page_id uuid,
    language text not null,
    text_sealed text,
    answer_sealed text,
    received_at timestamptz not null,
    acknowledged_at timestamptz,
    due_at timestamptz not null,
    notified_at timestamptz,
    reminded_at timestamptz,
    closed_at timestamptz,
    outcome text,
    constraint complaints_pkey primary key (site_id, id),
    constraint complaints_outcome_check
      check (outcome in ('upheld', 'partly_upheld', 'not_upheld', 'erased'))`,
    { hangsOnSite: false },
  );
  await sql
    .raw(
      `alter table complaints add constraint complaints_customer_fk
         foreign key (site_id, customer_id) references customers (site_id, id) on delete cascade`,
    )
    .execute(db);
  await sql.raw(`create index complaints_customer_idx on complaints (site_id, customer_id)`).execute(db);
  await sql
    .raw(`create index complaints_open_idx on complaints (site_id, due_at) where closed_at is null`)
    .execute(db);
  await sql.raw(`alter table customer_timers drop constraint customer_timers_kind_check`).execute(db);
  await sql
    .raw(
      `alter table customer_timers add constraint customer_timers_kind_check
         check (kind in ('resume', 'erase', 'pending_end', 'merge', 'complaint'))`,
    )
    .execute(db);
}
