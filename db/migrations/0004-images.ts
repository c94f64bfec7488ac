import { type Kysely, sql } from 'kysely';
import { createTenantTable } from '#db/tenant-table.ts';

/** Logos and favicons, as the product itself encoded them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTenantTable(
    db,
    'images',
    `id uuid not null,
     sha256 bytea not null,
     kind text not null,
     width integer not null,
     height integer not null,
     bytes bytea not null,
     created_at timestamptz not null,
     constraint images_pkey primary key (site_id, id)`,
  );
  await sql`alter table images add constraint images_content_key unique (site_id, kind, sha256)`.execute(db);
}
