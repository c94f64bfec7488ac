import { type Kysely, sql } from 'kysely';
import { createTenantTable } from '#db/tenant-table.ts';

/*
 * Visitors can report a site's pages to the operator of the service, who can take these pages down. A process of the version
 * before goes on serving them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  await createTenantTable(
    db,
    'abuse_reports',
    `id uuid not null,
    host text not null,
    path text not null,
    reason text not null,
    details_sealed text not null,
    received_at timestamptz not null,
    closed_at timestamptz,
    constraint abuse_reports_pkey primary key (site_id, id),
    constraint abuse_reports_reason_check check (reason in ('phishing', 'unasked', 'illegal', 'other'))`,
  );
  await sql
    .raw(
      `alter table sites add column taken_down_at timestamptz, add column taken_down_reason text not null default ''`,
    )
    .execute(db);
}
