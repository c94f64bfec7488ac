import { type Kysely, sql } from 'kysely';
import { createTenantTable } from '#db/tenant-table.ts';

const STATEMENTS = [
  `alter table page_drafts add constraint page_drafts_page_fk foreign key (site_id, page_id) references preference_pages (site_id, id) on delete cascade`,
  `alter table page_versions add constraint page_versions_page_fk foreign key (site_id, page_id) references preference_pages (site_id, id) on delete cascade`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  await createTenantTable(
    db,
    'page_drafts',
    `page_id uuid not null,
    content jsonb not null,
    base_version int not null,
    revision int not null,
    saved_by uuid not null,
    created_at timestamptz not null,
    saved_at timestamptz not null,
    constraint page_drafts_pkey primary key (site_id, page_id)`,
    { hangsOnSite: false },
  );
  // Who published is unknown of what was published before there was a history.
  await createTenantTable(
    db,
    'page_versions',
    `page_id uuid not null,
    version int not null,
    content jsonb not null,
    changes jsonb not null,
    saved_by uuid,
    saved_at timestamptz not null,
    constraint page_versions_pkey primary key (site_id, page_id, version)`,
    { hangsOnSite: false },
  );
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
