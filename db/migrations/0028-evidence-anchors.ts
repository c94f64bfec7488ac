import { type Kysely, sql } from 'kysely';
import { createTenantTable } from '#db/tenant-table.ts';

/*
 * Where a site's signed heads went, and what the receiver answered, is behind row-level security: it was in a table that one
 * look over all sites reads. What was known there is only when heads were last sent: the next night finds out again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  await createTenantTable(
    db,
    'evidence_anchors',
    `target text not null,
    number integer,
    arrived_at timestamptz,
    error text,
    constraint evidence_anchors_pkey primary key (site_id)`,
  );
  const columns = ['anchored_to', 'anchored_number', 'anchored_at', 'anchor_error'];
  const drops = columns.map((column) => `drop column ${column}`).join(', ');
  await sql.raw(`alter table evidence_check_tasks ${drops}`).execute(db);
}
