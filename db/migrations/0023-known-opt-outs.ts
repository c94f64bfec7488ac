import { type Kysely, sql } from 'kysely';
import { createTenantTable } from '#db/tenant-table.ts';

/*
 * Records of a tool whose opt-out is known, so that a later change of one isn't taken for a new opt-out (decision 071).
 * Until a process of the version before is stopped, it takes each change for one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  await createTenantTable(
    db,
    'known_opt_outs',
    `integration_id uuid not null,
    record_hash bytea not null,
    address_hash bytea not null,
    known_at timestamptz not null,
    constraint known_opt_outs_pkey primary key (site_id, integration_id, record_hash)`,
  );
}
