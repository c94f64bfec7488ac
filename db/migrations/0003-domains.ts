import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // A site's own domain as its owner wished it; host_names has it only once it is verified.
  // Before any tenant: the worker looks for what is due on every site at once.
  `create table site_domains (
    site_id uuid constraint site_domains_pkey primary key,
    host text not null,
    created_at timestamptz not null,
    verified_at timestamptz,
    proof text,
    proof_missing_since timestamptz,
    warned_at timestamptz,
    lapsed_at timestamptz,
    checked_at timestamptz,
    next_check_at timestamptz not null,
    findings jsonb
  )`,
  `alter table site_domains add constraint site_domains_site_fk foreign key (site_id) references sites (id) on delete cascade`,
  `create index site_domains_due_idx on site_domains (next_check_at)`,
  `create index site_domains_host_idx on site_domains (host)`,
  // Who has a host name, or had it last. It outlives the site and its organization, so it has no foreign key.
  `create table host_holders (
    host text constraint host_holders_pkey primary key,
    organization_id uuid not null,
    held_since timestamptz not null,
    released_at timestamptz
  )`,
  `insert into host_holders (host, organization_id, held_since)
   select h.host, s.organization_id, h.created_at from host_names h join sites s on s.id = h.site_id
   where h.kind = 'subdomain'`,
  // Until now nobody proved anything: each of these waits for its records, which the worker looks for at once.
  `insert into site_domains (site_id, host, created_at, next_check_at)
   select site_id, host, created_at, created_at from host_names where kind = 'custom'`,
  `delete from host_names where kind = 'custom'`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
