import { type Kysely, sql } from 'kysely';
import { createTenantTable } from '#db/tenant-table.ts';

/** Sets of filters for customers that a site's team has named. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  await createTenantTable(
    db,
    'customer_views',
    `id uuid not null,
    name text not null,
    name_key text not null,
    filter jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint customer_views_pkey primary key (site_id, id),
    constraint customer_views_name_key unique (site_id, name_key)`,
  );
}
