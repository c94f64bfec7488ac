import { type Kysely, sql } from 'kysely';
import { hasCitus, secureTenantTable } from '#db/tenant-table.ts';

/*
 * The rules behind the shape: tenant tables carry site_id in every key, foreign keys are composite and named,
 * constraints are added after the tables, no triggers, so that the same statements run on PostgreSQL and on Citus.
 */

const GLOBAL_TABLES = [
  `create table users (
    id uuid constraint users_pkey primary key,
    username text not null,
    username_key text not null constraint users_username_key unique,
    email text not null,
    email_key text not null constraint users_email_key unique,
    password_hash text,
    google_subject text constraint users_google_subject_key unique,
    first_name text not null,
    last_name text not null,
    avatar text,
    organization_id uuid,
    permissions text[] not null default '{}',
    plan_groups text[] not null default '{}',
    attrs jsonb not null,
    created_at timestamptz not null
  )`,
  `create table password_links (
    token_hash bytea constraint password_links_pkey primary key,
    user_id uuid not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    used_at timestamptz
  )`,
  `create table refresh_families (
    id uuid constraint refresh_families_pkey primary key,
    user_id uuid not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    revoked_at timestamptz
  )`,
  `create table refresh_tokens (
    token_hash bytea constraint refresh_tokens_pkey primary key,
    family_id uuid not null,
    created_at timestamptz not null,
    used_at timestamptz
  )`,
  `create table surveys (
    id uuid constraint surveys_pkey primary key,
    user_id uuid not null,
    version int not null,
    data jsonb not null,
    created_at timestamptz not null
  )`,
  `create table organizations (
    id uuid constraint organizations_pkey primary key,
    name text not null,
    name_key text not null constraint organizations_name_key unique,
    created_by uuid not null,
    subscription text,
    valid_until timestamptz,
    created_at timestamptz not null
  )`,
  `create table members (
    organization_id uuid not null,
    user_id uuid not null,
    role text not null,
    created_at timestamptz not null,
    constraint members_pkey primary key (organization_id, user_id)
  )`,
  `create table sites (
    id uuid constraint sites_pkey primary key,
    organization_id uuid not null,
    name text not null,
    created_at timestamptz not null
  )`,
  `create table host_names (
    host text constraint host_names_pkey primary key,
    site_id uuid not null,
    kind text not null constraint host_names_kind_check check (kind in ('subdomain', 'custom')),
    created_at timestamptz not null
  )`,
  `create table kept_mails (
    id uuid constraint kept_mails_pkey primary key,
    recipient text not null,
    sender text not null,
    subject text not null,
    html text not null,
    plain text not null,
    created_at timestamptz not null
  )`,
  `create unlogged table rate_limits (
    key varchar(255) constraint rate_limits_pkey primary key,
    points integer not null default 0,
    expire bigint
  )`,
];

/** Parents before children. */
const TENANT_TABLES: Record<string, string> = {
  lists: `
    id uuid not null,
    name text not null,
    description text not null,
    show_order int not null,
    default_state boolean not null,
    translations jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint lists_pkey primary key (site_id, id)`,
  preference_pages: `
    id uuid not null,
    name text not null,
    custom_path text not null,
    allow_customer_create boolean not null,
    favicon text not null,
    logo text not null,
    active_languages text[] not null,
    attrs jsonb not null,
    version int not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint preference_pages_pkey primary key (site_id, id),
    constraint preference_pages_path_key unique (site_id, custom_path)`,
  page_lists: `
    page_id uuid not null,
    list_id uuid not null,
    position int not null,
    constraint page_lists_pkey primary key (site_id, page_id, list_id)`,
  customers: `
    id uuid not null,
    email text,
    email_key text,
    global_unsubscribe boolean not null,
    consent_epoch int not null,
    sequence int not null,
    evidence_hash bytea,
    person_salt bytea,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    erased_at timestamptz,
    constraint customers_pkey primary key (site_id, id),
    constraint customers_email_key unique (site_id, email_key)`,
  subscriptions: `
    customer_id uuid not null,
    list_id uuid not null,
    subscribed boolean not null,
    changed_at timestamptz not null,
    constraint subscriptions_pkey primary key (site_id, customer_id, list_id)`,
  choices: `
    id uuid not null,
    customer_id uuid not null,
    sequence int not null,
    save_id text,
    source text not null,
    authority text not null,
    events text[] not null,
    lists jsonb not null,
    global_unsubscribe boolean not null,
    shown jsonb not null,
    language text,
    person_hash bytea not null,
    person_sealed text not null,
    ip text,
    occurred_at timestamptz not null,
    previous_hash bytea,
    hash bytea not null,
    constraint choices_pkey primary key (site_id, id),
    constraint choices_sequence_key unique (site_id, customer_id, sequence),
    constraint choices_save_id_key unique (site_id, customer_id, save_id)`,
  integrations: `
    id uuid not null,
    provider text not null,
    name text not null,
    credentials_sealed text not null,
    status text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint integrations_pkey primary key (site_id, id)`,
  actions: `
    id uuid not null,
    type text not null,
    name text not null,
    enabled boolean not null,
    integration_id uuid,
    event text not null,
    list_ids uuid[] not null,
    operation text,
    target jsonb not null,
    secrets_sealed text,
    failing_since timestamptz,
    disabled_reason text,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    deleted_at timestamptz,
    constraint actions_pkey primary key (site_id, id)`,
  deliveries: `
    id uuid not null,
    action_id uuid not null,
    customer_id uuid not null,
    choice_id uuid not null,
    event text not null,
    status text not null constraint deliveries_status_check check (status in ('waiting', 'arrived', 'failed')),
    attempt_count int not null,
    try_count int not null,
    next_attempt_at timestamptz,
    last_error text,
    created_at timestamptz not null,
    finished_at timestamptz,
    constraint deliveries_pkey primary key (site_id, id)`,
  delivery_attempts: `
    delivery_id uuid not null,
    number int not null,
    started_at timestamptz not null,
    duration_ms int not null,
    outcome text not null,
    request jsonb not null,
    response jsonb,
    error text,
    constraint delivery_attempts_pkey primary key (site_id, delivery_id, number)`,
  audit_log: `
    id uuid not null,
    actor text not null,
    event text not null,
    subject text not null,
    details jsonb not null,
    created_at timestamptz not null,
    constraint audit_log_pkey primary key (site_id, id)`,
  imports: `
    id uuid not null,
    status text not null,
    file_name text not null,
    counts jsonb not null,
    created_by uuid not null,
    created_at timestamptz not null,
    finished_at timestamptz,
    constraint imports_pkey primary key (site_id, id)`,
  api_keys: `
    id uuid not null,
    name text not null,
    key_hash bytea not null,
    created_by uuid not null,
    created_at timestamptz not null,
    last_used_at timestamptz,
    revoked_at timestamptz,
    constraint api_keys_pkey primary key (site_id, id),
    constraint api_keys_hash_key unique (site_id, key_hash)`,
};

/*
 * These hang on the site through their parent. A key of their own would lock the one row of the site in every save:
 * all saves of a site at once would share that lock, which PostgreSQL pays for with a multixact each time.
 */
const OF_THEIR_PARENTS_SITE = new Set([
  'page_lists',
  'subscriptions',
  'choices',
  'deliveries',
  'delivery_attempts',
]);

const FOREIGN_KEYS = [
  `alter table password_links add constraint password_links_user_fk foreign key (user_id) references users (id) on delete cascade`,
  `alter table refresh_families add constraint refresh_families_user_fk foreign key (user_id) references users (id) on delete cascade`,
  `alter table refresh_tokens add constraint refresh_tokens_family_fk foreign key (family_id) references refresh_families (id) on delete cascade`,
  `alter table surveys add constraint surveys_user_fk foreign key (user_id) references users (id) on delete cascade`,
  `alter table members add constraint members_user_fk foreign key (user_id) references users (id) on delete cascade`,
  `alter table members add constraint members_organization_fk foreign key (organization_id) references organizations (id) on delete cascade`,
  `alter table sites add constraint sites_organization_fk foreign key (organization_id) references organizations (id) on delete cascade`,
  `alter table host_names add constraint host_names_site_fk foreign key (site_id) references sites (id) on delete cascade`,
  ...Object.keys(TENANT_TABLES)
    .filter((table) => !OF_THEIR_PARENTS_SITE.has(table))
    .map(
      (table) =>
        `alter table ${table} add constraint ${table}_site_fk foreign key (site_id) references sites (id) on delete cascade`,
    ),
  `alter table page_lists add constraint page_lists_page_fk foreign key (site_id, page_id) references preference_pages (site_id, id) on delete cascade`,
  `alter table page_lists add constraint page_lists_list_fk foreign key (site_id, list_id) references lists (site_id, id) on delete cascade`,
  `alter table subscriptions add constraint subscriptions_customer_fk foreign key (site_id, customer_id) references customers (site_id, id) on delete cascade`,
  `alter table subscriptions add constraint subscriptions_list_fk foreign key (site_id, list_id) references lists (site_id, id) on delete cascade`,
  `alter table choices add constraint choices_customer_fk foreign key (site_id, customer_id) references customers (site_id, id)`,
  `alter table actions add constraint actions_integration_fk foreign key (site_id, integration_id) references integrations (site_id, id)`,
  // deliveries.action_id has no key for the same reason; actions are only ever marked as deleted.
  `alter table deliveries add constraint deliveries_choice_fk foreign key (site_id, choice_id) references choices (site_id, id)`,
  `alter table delivery_attempts add constraint delivery_attempts_delivery_fk foreign key (site_id, delivery_id) references deliveries (site_id, id) on delete cascade`,
];

const INDEXES = [
  `create index refresh_families_user_idx on refresh_families (user_id)`,
  `create index refresh_tokens_family_idx on refresh_tokens (family_id)`,
  `create index password_links_user_idx on password_links (user_id)`,
  `create index surveys_user_idx on surveys (user_id)`,
  `create index members_user_idx on members (user_id)`,
  `create index sites_organization_idx on sites (organization_id)`,
  `create index host_names_site_idx on host_names (site_id)`,
  `create index kept_mails_created_idx on kept_mails (created_at)`,
  `create index page_lists_list_idx on page_lists (site_id, list_id)`,
  `create index customers_search_idx on customers (site_id, email_key text_pattern_ops)`,
  `create index subscriptions_list_idx on subscriptions (site_id, list_id)`,
  `create index deliveries_action_idx on deliveries (site_id, action_id, id)`,
  `create index deliveries_customer_idx on deliveries (site_id, customer_id, id)`,
  `create index deliveries_open_idx on deliveries (site_id, status, id) where status <> 'arrived'`,
  `create index deliveries_choice_idx on deliveries (site_id, choice_id)`,
];

/** Few rows, which every tenant table may refer to: where there is Citus, each node has a copy. */
export const REFERENCE_TABLES = ['organizations', 'sites', 'host_names'];

async function distribute(db: Kysely<unknown>): Promise<void> {
  if (!(await hasCitus(db))) return;
  for (const table of REFERENCE_TABLES) {
    await sql.raw(`select create_reference_table('${table}')`).execute(db);
  }
  const [first, ...others] = Object.keys(TENANT_TABLES);
  await sql.raw(`select create_distributed_table('${first}', 'site_id')`).execute(db);
  for (const table of others) {
    await sql
      .raw(`select create_distributed_table('${table}', 'site_id', colocate_with => '${first}')`)
      .execute(db);
  }
}

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`set local citus.multi_shard_modify_mode to 'sequential'`).execute(db);
  for (const statement of GLOBAL_TABLES) await sql.raw(statement).execute(db);
  for (const [table, columns] of Object.entries(TENANT_TABLES)) {
    await sql.raw(`create table ${table} (site_id uuid not null, ${columns})`).execute(db);
  }
  await distribute(db);
  for (const statement of FOREIGN_KEYS) await sql.raw(statement).execute(db);
  for (const statement of INDEXES) await sql.raw(statement).execute(db);
  for (const table of Object.keys(TENANT_TABLES)) await secureTenantTable(db, table);
}
