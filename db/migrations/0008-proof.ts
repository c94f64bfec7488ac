import { type Kysely, sql } from 'kysely';
import { createTenantTable } from '#db/tenant-table.ts';

/*
 * Signed heads of the evidence, the public keys they were signed with, and the texts that pages showed. All three are only
 * ever added to. Where a site sends its heads, and how that went. A process of the version before knows none of it.
 */

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  await createTenantTable(
    db,
    'evidence_heads',
    `id uuid not null,
    number int not null,
    up_to uuid not null,
    records int not null,
    leaves bytea not null,
    statement text not null,
    kid text not null,
    signature bytea not null,
    signed_at timestamptz not null,
    constraint evidence_heads_pkey primary key (site_id, id),
    constraint evidence_heads_number_key unique (site_id, number)`,
  );
  await sql.raw(`create index evidence_heads_up_to_idx on evidence_heads (site_id, up_to)`).execute(db);
  await createTenantTable(
    db,
    'shown_texts',
    `hash bytea not null,
    page_id uuid,
    version int,
    language text,
    content jsonb not null,
    created_at timestamptz not null,
    constraint shown_texts_pkey primary key (site_id, hash)`,
  );
  await sql
    .raw(
      `create index shown_texts_page_idx on shown_texts (site_id, page_id, version) where page_id is not null`,
    )
    .execute(db);
  await sql
    .raw(
      `create table evidence_keys (
    kid text not null,
    public_key bytea not null,
    created_at timestamptz not null,
    constraint evidence_keys_pkey primary key (kid))`,
    )
    .execute(db);
  await sql.raw(`alter table sites add column evidence_anchor text not null default ''`).execute(db);
  await sql
    .raw(
      `alter table evidence_check_tasks add column anchored_to text, add column anchored_number int,
    add column anchored_at timestamptz, add column anchor_error text`,
    )
    .execute(db);
}
