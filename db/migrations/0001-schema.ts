import { type Kysely, sql } from 'kysely';
import { createTenantTable, hasCitus } from '#db/tenant-table.ts';

/*
 * The whole schema of 0.2.0, from the lowest layer to the highest (docs/architecture.md). db/tables.ts says what the
 * columns mean. Tenant tables carry site_id in every key, foreign keys are composite and named, constraints are added
 * after the tables, and there are no triggers, so that the same statements run on PostgreSQL and on Citus.
 *
 * Tables without a policy come before any tenant: accounts, sites, hosts, and schedules that hold ids, times and counts
 * of all sites, so that a worker finds what is due with one statement.
 */

/** Few rows, which every tenant table may refer to: where there is Citus, each node has a copy. */
export const REFERENCE_TABLES = ['organizations', 'sites', 'host_names'];

async function run(db: Kysely<unknown>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

export async function up(db: Kysely<unknown>): Promise<void> {
  await run(db, [`set local citus.multi_shard_modify_mode to 'sequential'`]);
  await createPlatform(db);
  await createAccounts(db);
  await createOrganizations(db);
  await createTools(db);
  await createAudience(db);
  await createEvidence(db);
  await createPages(db);
  await createDelivery(db);
  await createSync(db);
  await createVisit(db);
}

async function createPlatform(db: Kysely<unknown>): Promise<void> {
  await run(db, [
    // The database as a whole: its key, and whether its workers are paused. One row at most.
    `create table installation (
      id int constraint installation_pkey primary key constraint installation_single_check check (id = 1),
      key_fingerprint text not null,
      workers_paused_at timestamptz,
      restored_at timestamptz,
      backup_taken_at timestamptz
    )`,

    // Counters of rate limits. They last minutes, so they need not survive a crash.
    `create unlogged table rate_limits (
      key varchar(255) constraint rate_limits_pkey primary key,
      points integer not null default 0,
      expire bigint
    )`,

    // Emails of an installation without a mail server, for its outbox.
    `create table outbox_emails (
      id uuid constraint outbox_emails_pkey primary key,
      recipient text not null,
      sender text not null,
      subject text not null,
      html text not null,
      plain text not null,
      created_at timestamptz not null,
      attachments jsonb not null default '[]'
    )`,
    `create index outbox_emails_created_idx on outbox_emails (created_at)`,

    /*
     * Until a table is analyzed, the planner knows nothing about it. A new database then checks foreign keys by whatever
     * index begins with the site's id, row by row, and every connection keeps that plan: saves become slower with each
     * one. Autovacuum comes once a minute at most, and the server's role owns no table, so the owner lends it this function.
     *
     * A table counts as grown when it has four times the pages that the planner knows of. On Citus the tables of the
     * coordinator are empty, so nothing is due there.
     */
    `create function analyze_grown_tables() returns int language plpgsql security definer set search_path = pg_catalog as $$
  declare
    grown regclass;
    analyzed int := 0;
  begin
    for grown in
      select oid::regclass from pg_class
      where relkind = 'r' and relnamespace in ('public'::regnamespace, to_regnamespace('queue'))
        and pg_relation_size(oid) >= 4 * greatest(relpages, 1) * current_setting('block_size')::bigint
    loop
      execute format('analyze (skip_locked) %s', grown);
      analyzed := analyzed + 1;
    end loop;
    return analyzed;
  end $$`,
    `revoke execute on function analyze_grown_tables() from public`,
  ]);
}

async function createAccounts(db: Kysely<unknown>): Promise<void> {
  await run(db, [
    // People with an account.
    `create table users (
      id uuid constraint users_pkey primary key,
      username text not null,
      username_key text not null constraint users_username_key unique,
      email text not null,
      email_key text not null constraint users_email_key unique,
      password_hash text,
      google_subject text,
      first_name text not null,
      last_name text not null,
      avatar text,
      organization_id uuid,
      permissions text[] not null default '{}',
      plan_groups text[] not null default '{}',
      attrs jsonb not null,
      created_at timestamptz not null,
      google_issuer text,
      google_email text,
      constraint users_google_identity_key unique (google_issuer, google_subject)
    )`,

    // Their pictures.
    `create table avatars (
      user_id uuid constraint avatars_pkey primary key,
      id uuid not null constraint avatars_id_key unique,
      bytes bytea not null,
      created_at timestamptz not null
    )`,
    `alter table avatars add constraint avatars_user_fk foreign key (user_id) references users (id) on delete cascade`,

    // What they answered after signing up.
    `create table surveys (
      id uuid constraint surveys_pkey primary key,
      user_id uuid not null,
      version int not null,
      data jsonb not null,
      created_at timestamptz not null
    )`,
    `alter table surveys add constraint surveys_user_fk foreign key (user_id) references users (id) on delete cascade`,
    `create index surveys_user_idx on surveys (user_id)`,

    // Emailed links that set a password.
    `create table password_links (
      token_hash bytea constraint password_links_pkey primary key,
      user_id uuid not null,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      used_at timestamptz
    )`,
    `alter table password_links add constraint password_links_user_fk foreign key (user_id) references users (id) on delete cascade`,
    `create index password_links_user_idx on password_links (user_id)`,

    // Emailed links that confirm a change of an account.
    `create table account_links (
      token_hash bytea constraint account_links_pkey primary key,
      user_id uuid not null,
      kind text not null,
      details jsonb not null,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      used_at timestamptz
    )`,
    `alter table account_links add constraint account_links_user_fk foreign key (user_id) references users (id) on delete cascade`,
    `create index account_links_user_idx on account_links (user_id)`,

    // One for each log-in: a family of refresh tokens, each replacing the one before.
    `create table sessions (
      id uuid constraint sessions_pkey primary key,
      user_id uuid not null,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      revoked_at timestamptz,
      browser text,
      system text,
      authenticated_at timestamptz,
      set_up_required boolean not null default false
    )`,
    `alter table sessions add constraint sessions_user_fk foreign key (user_id) references users (id) on delete cascade`,
    `create index sessions_user_idx on sessions (user_id)`,
    `create table refresh_tokens (
      token_hash bytea constraint refresh_tokens_pkey primary key,
      session_id uuid not null,
      created_at timestamptz not null,
      used_at timestamptz
    )`,
    `alter table refresh_tokens add constraint refresh_tokens_session_fk foreign key (session_id) references sessions (id) on delete cascade`,
    `create index refresh_tokens_session_idx on refresh_tokens (session_id)`,

    // Second factors. An account has at most one authenticator app; the step of the last code keeps it from counting twice.
    `create table totp_factors (
      user_id uuid constraint totp_factors_pkey primary key,
      secret_sealed text not null,
      last_step bigint not null,
      created_at timestamptz not null,
      last_used_at timestamptz
    )`,
    `alter table totp_factors add constraint totp_factors_user_fk foreign key (user_id) references users (id) on delete cascade`,
    `create table passkeys (
      id uuid constraint passkeys_pkey primary key,
      user_id uuid not null,
      credential_id text not null constraint passkeys_credential_key unique,
      public_key bytea not null,
      counter bigint not null,
      transports text[] not null,
      is_synced boolean not null,
      name text not null,
      created_at timestamptz not null,
      last_used_at timestamptz,
      blocked_at timestamptz
    )`,
    `alter table passkeys add constraint passkeys_user_fk foreign key (user_id) references users (id) on delete cascade`,
    `create index passkeys_user_idx on passkeys (user_id)`,
    `create table recovery_codes (
      user_id uuid not null,
      code_hash bytea not null,
      salt bytea not null,
      created_at timestamptz not null,
      used_at timestamptz,
      constraint recovery_codes_pkey primary key (user_id, code_hash)
    )`,
    `alter table recovery_codes add constraint recovery_codes_user_fk foreign key (user_id) references users (id) on delete cascade`,

    // Tickets between the two steps of a log-in are sealed in the browser; here are those that were used, until they expire.
    `create table used_tickets (id uuid constraint used_tickets_pkey primary key, expires_at timestamptz not null)`,
    `create index used_tickets_expires_idx on used_tickets (expires_at)`,
  ]);
}

async function createOrganizations(db: Kysely<unknown>): Promise<void> {
  await run(db, [
    // An organization that is being deleted has no members; its sites are deleted one after the other.
    `create table organizations (
      id uuid constraint organizations_pkey primary key,
      name text not null,
      name_key text not null constraint organizations_name_key unique,
      created_by uuid not null,
      subscription text,
      valid_until timestamptz,
      created_at timestamptz not null,
      deletion_requested_at timestamptz,
      requires_second_factor boolean not null default false
    )`,

    // The tenant.
    `create table sites (
      id uuid constraint sites_pkey primary key,
      organization_id uuid not null,
      name text not null,
      created_at timestamptz not null,
      link_lifetime_days int not null default 180
        constraint sites_link_lifetime_check check (link_lifetime_days between 30 and 730),
      sender_name text not null default '',
      reply_to text not null default '',
      operator jsonb,
      delivery_content_days int not null default 30
        constraint sites_delivery_content_days_check check (delivery_content_days between 1 and 365)
    )`,

    // Hosts that are served: subdomains, and own domains that are verified.
    `create table host_names (
      host text constraint host_names_pkey primary key,
      site_id uuid not null,
      kind text not null constraint host_names_kind_check check (kind in ('subdomain', 'custom')),
      created_at timestamptz not null
    )`,
  ]);
  if (await hasCitus(db)) {
    await run(
      db,
      REFERENCE_TABLES.map((table) => `select create_reference_table('${table}')`),
    );
  }
  await run(db, [
    `alter table sites add constraint sites_organization_fk foreign key (organization_id) references organizations (id) on delete cascade`,
    `create index sites_organization_idx on sites (organization_id)`,
    `alter table host_names add constraint host_names_site_fk foreign key (site_id) references sites (id) on delete cascade`,
    `create index host_names_site_idx on host_names (site_id)`,

    // Which organization has a host name, or had it last. It outlives site and organization, so it has no foreign key.
    `create table host_name_owners (
      host text constraint host_name_owners_pkey primary key,
      organization_id uuid not null,
      owned_since timestamptz not null,
      released_at timestamptz
    )`,

    // The own domain that a site's owner entered, with its checks; host_names has it once it is verified.
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

    `create table members (
      organization_id uuid not null,
      user_id uuid not null,
      role text not null constraint members_role_check check (role in ('viewer', 'editor', 'admin', 'owner')),
      created_at timestamptz not null,
      constraint members_pkey primary key (organization_id, user_id)
    )`,
    `alter table members add constraint members_user_fk foreign key (user_id) references users (id) on delete cascade`,
    `alter table members add constraint members_organization_fk foreign key (organization_id) references organizations (id) on delete cascade`,
    `create index members_user_idx on members (user_id)`,

    // Deleted once accepted or withdrawn, so that no address is kept for nothing.
    `create table invitations (
      id uuid constraint invitations_pkey primary key,
      organization_id uuid not null,
      email text not null,
      email_key text not null,
      role text not null constraint invitations_role_check check (role in ('viewer', 'editor', 'admin', 'owner')),
      token_hash bytea not null constraint invitations_token_key unique,
      invited_by uuid not null,
      sent_at timestamptz not null,
      expires_at timestamptz not null,
      created_at timestamptz not null,
      constraint invitations_email_key unique (organization_id, email_key)
    )`,
    `alter table invitations add constraint invitations_organization_fk foreign key (organization_id) references organizations (id) on delete cascade`,
    `alter table invitations add constraint invitations_user_fk foreign key (invited_by) references users (id) on delete cascade`,
  ]);

  // Append-only for the server's role, like choices and evidence_checks.
  await createTenantTable(
    db,
    'audit_log',
    `id uuid not null,
    actor text not null,
    event text not null,
    subject text not null,
    details jsonb not null,
    created_at timestamptz not null,
    constraint audit_log_pkey primary key (site_id, id)`,
  );

  // A key outlives the account of its maker, whose name it keeps.
  await createTenantTable(
    db,
    'api_keys',
    `id uuid not null,
    name text not null,
    key_hash bytea not null,
    created_by uuid not null,
    created_at timestamptz not null,
    last_changed_at timestamptz,
    revoked_at timestamptz,
    scopes text[] not null default '{}',
    expires_at timestamptz,
    created_by_name text,
    created_by_email text,
    constraint api_keys_pkey primary key (site_id, id),
    constraint api_keys_hash_key unique (site_id, key_hash)`,
  );
}

async function createTools(db: Kysely<unknown>): Promise<void> {
  // A site's connections to email tools, with the state of their circuit breakers and polls.
  await createTenantTable(
    db,
    'integrations',
    `id uuid not null,
    provider text not null,
    name text not null,
    credentials_sealed text not null,
    status text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    account_name text not null default '',
    status_reason text,
    failing_since timestamptz,
    deleted_at timestamptz,
    webhook_secret_sealed text not null default '',
    poll_cursor text,
    poll_error text,
    connected_by text not null default 'credentials'
      constraint integrations_connected_by_check check (connected_by in ('credentials', 'oauth')),
    consecutive_failures int not null default 0,
    rests_until timestamptz,
    late_notice_at timestamptz,
    constraint integrations_pkey primary key (site_id, id)`,
  );
  await run(db, [
    // Rate limits of tool accounts, which may serve several sites; losing them costs little.
    `create unlogged table tool_rate_limits (
      account text constraint tool_rate_limits_pkey primary key,
      next_slot_at timestamptz not null,
      slowdown real not null
    )`,

    // When OAuth tokens are renewed, and the lease of the process that renews them. The tokens are in integrations.
    `create table token_renewals (
      site_id uuid not null,
      integration_id uuid not null,
      renew_at timestamptz,
      lease uuid,
      locked_until timestamptz,
      constraint token_renewals_pkey primary key (site_id, integration_id)
    )`,
    `alter table token_renewals add constraint token_renewals_site_fk foreign key (site_id) references sites (id) on delete cascade`,
    `create index token_renewals_renew_idx on token_renewals (renew_at) where renew_at is not null`,

    // What is done periodically with each connected tool, with the lease of the process that does it.
    `create table scheduled_tasks (
      site_id uuid not null,
      integration_id uuid not null,
      kind text not null,
      due_at timestamptz not null,
      lease uuid,
      constraint scheduled_tasks_pkey primary key (site_id, integration_id, kind)
    )`,
    `alter table scheduled_tasks add constraint scheduled_tasks_site_fk foreign key (site_id) references sites (id) on delete cascade`,
    `create index scheduled_tasks_due_idx on scheduled_tasks (due_at)`,
  ]);
}

async function createAudience(db: Kysely<unknown>): Promise<void> {
  // What people subscribe to.
  await createTenantTable(
    db,
    'lists',
    `id uuid not null,
    name text not null,
    description text not null,
    show_order int not null,
    default_state boolean not null,
    translations jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint lists_pkey primary key (site_id, id)`,
  );

  // Erased or merged customers keep their row for their evidence: the server's role may not delete any.
  await createTenantTable(
    db,
    'customers',
    `id uuid not null,
    email text,
    email_key text,
    global_unsubscribe boolean not null,
    sequence int not null,
    evidence_hash bytea,
    person_salt bytea,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    erased_at timestamptz,
    paused_until timestamptz,
    erased_key bytea,
    link_generation int not null default 0,
    links_ended_at timestamptz,
    merged_into uuid,
    constraint customers_pkey primary key (site_id, id),
    constraint customers_email_key unique (site_id, email_key),
    constraint customers_pause_check check (paused_until is null or global_unsubscribe)`,
  );
  await run(db, [
    `create index customers_search_idx on customers (site_id, email_key text_pattern_ops)`,
    `create index customers_erased_idx on customers (site_id, erased_key) where erased_key is not null`,
    `create index customers_merged_idx on customers (site_id, merged_into) where merged_into is not null`,
    // Counts of present customers are read from it and nothing else.
    `create index customers_present_idx on customers (site_id, id) where erased_at is null and merged_into is null`,

    // What happens to a customer at a time: the end of a pause, an erasure and others.
    `create table customer_timers (
      site_id uuid not null,
      customer_id uuid not null,
      kind text not null
        constraint customer_timers_kind_check check (kind in ('resume', 'erase', 'pending_end', 'merge')),
      due_at timestamptz not null,
      created_at timestamptz not null,
      constraint customer_timers_pkey primary key (site_id, customer_id, kind)
    )`,
    `alter table customer_timers add constraint customer_timers_site_fk foreign key (site_id) references sites (id) on delete cascade`,
    `create index customer_timers_due_idx on customer_timers (due_at)`,
  ]);

  /*
   * Hangs on the site through its customer, as all tables with `hangsOnSite: false` do through a parent. A foreign key to
   * the site would lock the one row of the site in every save: all saves of a site at once would share that lock, which
   * PostgreSQL pays for with a multixact each time.
   */
  await createTenantTable(
    db,
    'subscriptions',
    `customer_id uuid not null,
    list_id uuid not null,
    subscribed boolean not null,
    changed_at timestamptz not null,
    constraint subscriptions_pkey primary key (site_id, customer_id, list_id)`,
    { hangsOnSite: false },
  );
  await run(db, [
    `alter table subscriptions add constraint subscriptions_customer_fk foreign key (site_id, customer_id) references customers (site_id, id) on delete cascade`,
    `alter table subscriptions add constraint subscriptions_list_fk foreign key (site_id, list_id) references lists (site_id, id) on delete cascade`,
    `create index subscriptions_list_idx on subscriptions (site_id, list_id)`,
  ]);

  // Customers whose mail server rejected our last email.
  await createTenantTable(
    db,
    'email_bounces',
    `customer_id uuid not null,
    email_key text not null,
    status int not null,
    reply text not null,
    bounced_at timestamptz not null,
    constraint email_bounces_pkey primary key (site_id, customer_id)`,
  );

  // What screens count of everybody, kept by the transactions that change it.
  await createTenantTable(
    db,
    'counters',
    `day int not null,
    metric text not null,
    list_id uuid not null,
    slot smallint not null,
    value bigint not null,
    constraint counters_pkey primary key (site_id, day, metric, list_id, slot)`,
  );
}

async function createEvidence(db: Kysely<unknown>): Promise<void> {
  // The evidence: what each customer chose, chained by hash in the order of sequence. Append-only for the server's role.
  await createTenantTable(
    db,
    'choices',
    `id uuid not null,
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
    paused_until timestamptz,
    undoes_sequence int,
    requested jsonb,
    save_hash bytea,
    constraint choices_pkey primary key (site_id, id),
    constraint choices_sequence_key unique (site_id, customer_id, sequence),
    constraint choices_save_id_key unique (site_id, customer_id, save_id)`,
    { hangsOnSite: false },
  );
  await run(db, [
    `alter table choices add constraint choices_customer_fk foreign key (site_id, customer_id) references customers (site_id, id) on delete cascade`,
  ]);

  // Why people left.
  await createTenantTable(
    db,
    'leave_reasons',
    `choice_id uuid not null,
    customer_id uuid not null,
    reason text not null,
    created_at timestamptz not null,
    constraint leave_reasons_pkey primary key (site_id, choice_id)`,
  );
  await run(db, [`create index leave_reasons_time_idx on leave_reasons (site_id, created_at)`]);

  // Who joined or left which list by which choice. Figures are counted from it: choices are too wide for that.
  await createTenantTable(
    db,
    'subscription_changes',
    `choice_id uuid not null,
    list_id uuid not null,
    joined boolean not null,
    constraint subscription_changes_pkey primary key (site_id, choice_id, list_id) include (joined)`,
    { hangsOnSite: false },
  );
  await run(db, [
    `alter table subscription_changes add constraint subscription_changes_choice_fk foreign key (site_id, choice_id) references choices (site_id, id) on delete cascade`,
    // Walked by ranges of ids, which are ranges of time.
    `create index subscription_changes_list_idx on subscription_changes (site_id, list_id, joined, choice_id)`,
    `create index subscription_changes_joined_idx on subscription_changes (site_id, joined, choice_id)`,
  ]);

  // What each nightly check of the evidence found. Append-only for the server's role.
  await createTenantTable(
    db,
    'evidence_checks',
    `id uuid not null,
    records bigint not null,
    chains bigint not null,
    broken int not null,
    findings jsonb not null,
    anchor jsonb not null,
    seal bytea not null,
    checked_at timestamptz not null,
    constraint evidence_checks_pkey primary key (site_id, id)`,
  );
  await run(db, [
    // When each site's evidence is checked next.
    `create table evidence_check_tasks (
      site_id uuid constraint evidence_check_tasks_pkey primary key,
      due_at timestamptz not null,
      lease uuid,
      checked_at timestamptz,
      broken int not null
    )`,
    `alter table evidence_check_tasks add constraint evidence_check_tasks_site_fk foreign key (site_id) references sites (id) on delete cascade`,
    `create index evidence_check_tasks_due_idx on evidence_check_tasks (due_at)`,
  ]);
}

async function createPages(db: Kysely<unknown>): Promise<void> {
  // Where people choose.
  await createTenantTable(
    db,
    'preference_pages',
    `id uuid not null,
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
    embed_origins text[] not null default '{}',
    constraint preference_pages_pkey primary key (site_id, id),
    constraint preference_pages_path_key unique (site_id, custom_path)`,
  );

  // The lists on a page, in their order.
  await createTenantTable(
    db,
    'page_lists',
    `page_id uuid not null,
    list_id uuid not null,
    position int not null,
    constraint page_lists_pkey primary key (site_id, page_id, list_id)`,
    { hangsOnSite: false },
  );
  await run(db, [
    `alter table page_lists add constraint page_lists_page_fk foreign key (site_id, page_id) references preference_pages (site_id, id) on delete cascade`,
    `alter table page_lists add constraint page_lists_list_fk foreign key (site_id, list_id) references lists (site_id, id) on delete cascade`,
    `create index page_lists_list_idx on page_lists (site_id, list_id)`,
  ]);

  // What an owner typed and did not publish: at most one draft of a page.
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
    editor_id text,
    constraint page_drafts_pkey primary key (site_id, page_id)`,
    { hangsOnSite: false },
  );

  // What a page said in each of its last versions.
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
  await run(db, [
    `alter table page_drafts add constraint page_drafts_page_fk foreign key (site_id, page_id) references preference_pages (site_id, id) on delete cascade`,
    `alter table page_versions add constraint page_versions_page_fk foreign key (site_id, page_id) references preference_pages (site_id, id) on delete cascade`,
  ]);

  // Logos and favicons.
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
    constraint images_pkey primary key (site_id, id),
    constraint images_content_key unique (site_id, kind, sha256)`,
  );
}

async function createDelivery(db: Kysely<unknown>): Promise<void> {
  // What follows a choice: a change in a tool, a webhook, evidence by email. Only ever marked as deleted.
  await createTenantTable(
    db,
    'actions',
    `id uuid not null,
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
  );
  await run(db, [
    `alter table actions add constraint actions_integration_fk foreign key (site_id, integration_id) references integrations (site_id, id) on delete cascade`,
  ]);

  // One for each action that a choice matched, and the queue: next_attempt_at says when it is due, or when its lease ends.
  await createTenantTable(
    db,
    'deliveries',
    `id uuid not null,
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
    confirmed_at timestamptz,
    outcome text constraint deliveries_outcome_check check (outcome in (
      'bad_credentials', 'refused', 'not_found', 'rate_limited', 'unavailable', 'confirmed', 'accepted', 'checking',
      'unconfirmed', 'not_known', 'overtaken', 'erased', 'disconnected', 'tool_off', 'action_off')),
    confirmation_reads int not null default 0,
    constraint deliveries_pkey primary key (site_id, id)`,
    { hangsOnSite: false },
  );
  await run(db, [
    // Actions and customers have none: each save would lock their rows, too.
    `alter table deliveries add constraint deliveries_choice_fk foreign key (site_id, choice_id) references choices (site_id, id) on delete cascade`,
    // The first two with what is counted, so that the rows themselves are not read.
    `create index deliveries_action_idx on deliveries (site_id, action_id, id) include (status, finished_at)`,
    `create index deliveries_open_idx on deliveries (site_id, status, id) include (action_id) where status <> 'arrived'`,
    `create index deliveries_customer_idx on deliveries (site_id, customer_id, id)`,
    `create index deliveries_choice_idx on deliveries (site_id, choice_id)`,
    `create index deliveries_due_idx on deliveries (site_id, next_attempt_at) where next_attempt_at is not null`,
    `create index deliveries_unconfirmed_idx on deliveries (site_id, id) include (action_id) where outcome in ('checking', 'unconfirmed')`,
    // Retention walks deliveries by id, which is the order of time, and may have passed these by when they arrived.
    `create index deliveries_late_arrival_idx on deliveries (site_id, finished_at, id)
       where status = 'arrived' and finished_at - created_at > interval '1 hour'`,
  ]);

  // Each attempt, with what was sent and what came back.
  await createTenantTable(
    db,
    'delivery_attempts',
    `delivery_id uuid not null,
    number int not null,
    started_at timestamptz not null,
    duration_ms int not null,
    outcome text not null,
    request jsonb not null,
    response jsonb,
    error text,
    content_deleted_at timestamptz,
    constraint delivery_attempts_pkey primary key (site_id, delivery_id, number)`,
    { hangsOnSite: false },
  );
  await run(db, [
    `alter table delivery_attempts add constraint delivery_attempts_delivery_fk foreign key (site_id, delivery_id) references deliveries (site_id, id) on delete cascade`,

    // Sites that a worker has to look at. Local to the coordinator where there is Citus.
    `create table sites_with_work (
      site_id uuid constraint sites_with_work_pkey primary key
        constraint sites_with_work_site_id_fkey references sites (id) on delete cascade,
      due_at timestamptz not null,
      hold_until timestamptz not null
    )`,
    `create index sites_with_work_due_idx on sites_with_work (due_at)`,

    // How far the content of each site's old attempts was deleted.
    `create table retention_tasks (
      site_id uuid constraint retention_tasks_pkey primary key,
      due_at timestamptz not null,
      lease uuid,
      up_to_id uuid,
      late_up_to timestamptz
    )`,
    `alter table retention_tasks add constraint retention_tasks_site_fk foreign key (site_id) references sites (id) on delete cascade`,
    `create index retention_tasks_due_idx on retention_tasks (due_at)`,
  ]);

  // One worker at a time changes a customer in a tool. A dead worker's lease expires.
  await createTenantTable(
    db,
    'customer_leases',
    `integration_id uuid not null,
    customer_id uuid not null,
    holder_id uuid not null,
    expires_at timestamptz not null,
    constraint customer_leases_pkey primary key (site_id, integration_id, customer_id)`,
  );
}

async function createSync(db: Kysely<unknown>): Promise<void> {
  await createInbound(db);
  await createImports(db);
  await createReconciliation(db);

  // The custom field of a tool that holds each customer's personal link; at most one for an integration.
  await createTenantTable(
    db,
    'link_fields',
    `id uuid not null,
    integration_id uuid not null,
    field_id text not null,
    field_name text not null,
    full_sync_cursor uuid,
    full_sync_due_at timestamptz not null,
    choice_cursor uuid,
    trouble text,
    created_at timestamptz not null,
    constraint link_fields_pkey primary key (site_id, id),
    constraint link_fields_integration_key unique (site_id, integration_id)`,
  );

  // Which link a customer has in that field, or why none. Another field is another row of link_fields.
  await createTenantTable(
    db,
    'synced_links',
    `link_field_id uuid not null,
    customer_id uuid not null,
    state text not null constraint synced_links_state_check check (state in ('synced', 'unknown', 'refused')),
    token bytea not null,
    key_id bytea not null,
    sequence int not null,
    tries int not null,
    error text,
    tried_at timestamptz not null,
    retry_at timestamptz,
    issued_on int not null default 0,
    link_generation int not null default 0,
    constraint synced_links_pkey primary key (site_id, link_field_id, customer_id)`,
    { hangsOnSite: false },
  );
  await run(db, [
    `alter table synced_links add constraint synced_links_field_fk foreign key (site_id, link_field_id) references link_fields (site_id, id) on delete cascade`,
    // For the erasure of a customer.
    `create index synced_links_customer_idx on synced_links (site_id, customer_id)`,
  ]);
}

async function createInbound(db: Kysely<unknown>): Promise<void> {
  // Webhook requests of tools, sealed until they are handled.
  await createTenantTable(
    db,
    'inbound_requests',
    `id uuid not null,
    integration_id uuid not null,
    provider text not null,
    state text not null constraint inbound_requests_state_check check (state in ('waiting', 'done', 'failed')),
    sealed text,
    received_at timestamptz not null,
    constraint inbound_requests_pkey primary key (site_id, id)`,
  );

  // What each event of a tool led to. Its key keeps an event from being applied twice.
  await createTenantTable(
    db,
    'inbound_events',
    `id uuid not null,
    integration_id uuid not null,
    event_key bytea not null,
    kind text,
    occurred_at timestamptz not null,
    received_at timestamptz not null,
    customer_id uuid,
    email_sealed text,
    outcome text not null constraint inbound_events_outcome_check check (outcome in ('applied', 'ignored', 'failed')),
    reason text,
    choice_id uuid,
    constraint inbound_events_pkey primary key (site_id, integration_id, event_key)`,
  );
  await run(db, [
    `create unique index inbound_events_id_key on inbound_events (site_id, integration_id, id)`,
    // For the erasure of a customer.
    `create index inbound_events_customer_idx on inbound_events (site_id, customer_id) where customer_id is not null`,
  ]);
}

async function createImports(db: Kysely<unknown>): Promise<void> {
  // A state machine for each import, from a file or from a tool.
  await createTenantTable(
    db,
    'imports',
    `id uuid not null,
    source text not null constraint imports_source_check check (source in ('csv', 'tool')),
    status text not null,
    file_name text,
    integration_id uuid,
    kind text,
    resources jsonb,
    columns text[],
    mapping jsonb,
    options jsonb not null,
    counts jsonb not null,
    read_progress jsonb,
    position int not null,
    round int not null,
    error text,
    created_by uuid not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    ended_at timestamptz,
    constraint imports_pkey primary key (site_id, id)`,
  );

  // Its rows, deleted 30 days after it ended.
  await createTenantTable(
    db,
    'import_rows',
    `import_id uuid not null,
    number int not null,
    email text,
    email_key text,
    fields text[],
    preferences jsonb,
    problem text,
    verdict text,
    reason text,
    customer_id uuid,
    choice_id uuid,
    applied_at timestamptz,
    constraint import_rows_pkey primary key (site_id, import_id, number)`,
    { hangsOnSite: false },
  );
  await run(db, [
    `alter table import_rows add constraint import_rows_import_fk foreign key (site_id, import_id) references imports (site_id, id) on delete cascade`,
    // For duplicates, and for the erasure of a customer.
    `create index import_rows_email_idx on import_rows (site_id, email_key, import_id) where email_key is not null`,
    `create index import_rows_customer_idx on import_rows (site_id, customer_id) where customer_id is not null`,
    `create index import_rows_unread_idx on import_rows (site_id, import_id) where email_key is null`,
    `create index import_rows_verdict_idx on import_rows (site_id, import_id, verdict, number)`,
  ]);
}

async function createReconciliation(db: Kysely<unknown>): Promise<void> {
  // One pass over all customers in a tool, or (mending) over discrepancies that are repaired.
  await createTenantTable(
    db,
    'reconciliations',
    `id uuid not null,
    integration_id uuid not null,
    kind text not null constraint reconciliations_kind_check check (kind in ('nightly', 'on_demand', 'mending')),
    status text not null constraint reconciliations_status_check
      check (status in ('running', 'finished', 'cancelled', 'failed')),
    filter jsonb,
    cursor uuid,
    counts jsonb not null,
    error text,
    failing_since timestamptz,
    started_at timestamptz not null,
    finished_at timestamptz,
    started_by uuid,
    constraint reconciliations_pkey primary key (site_id, id)`,
  );

  // Where a tool differs from what the customer chose. Holds no address, so an erasure leaves nothing behind.
  await createTenantTable(
    db,
    'discrepancies',
    `id uuid not null,
    reconciliation_id uuid not null,
    integration_id uuid not null,
    customer_id uuid not null,
    action_id uuid,
    target_key text not null,
    kind text not null constraint discrepancies_kind_check
      check (kind in ('opt_out_missing', 'not_applied', 'opted_out_there')),
    change jsonb not null,
    ours jsonb not null,
    theirs jsonb not null,
    status text not null constraint discrepancies_status_check
      check (status in ('open', 'mended', 'dismissed', 'gone')),
    error text,
    created_at timestamptz not null,
    resolved_at timestamptz,
    constraint discrepancies_pkey primary key (site_id, id)`,
  );
  await run(db, [
    `create index reconciliations_integration_idx on reconciliations (site_id, integration_id, id)`,
    // One at a time for each tool, whichever process or person starts it.
    `create unique index reconciliations_running_key on reconciliations (site_id, integration_id)
       where status = 'running' and kind <> 'mending'`,
    `create unique index reconciliations_repair_key on reconciliations (site_id, integration_id)
       where status = 'running' and kind = 'mending'`,
    `create index discrepancies_integration_idx on discrepancies (site_id, integration_id, status, id)`,
    // One for each thing that a customer can have in a tool.
    `create unique index discrepancies_live_key on discrepancies (site_id, integration_id, customer_id, target_key)
       where status in ('open', 'dismissed')`,
    `create index discrepancies_customer_idx on discrepancies (site_id, customer_id)`,
  ]);
}

async function createVisit(db: Kysely<unknown>): Promise<void> {
  // What a customer asked for and has not confirmed by email: one of each kind.
  await createTenantTable(
    db,
    'pending_changes',
    `customer_id uuid not null,
    kind text not null constraint pending_changes_kind_check check (kind in ('resubscribe', 'email_change')),
    id uuid not null,
    save_id text,
    sequence int not null,
    change_sealed text not null,
    requested jsonb not null,
    expires_at timestamptz not null,
    constraint pending_changes_pkey primary key (site_id, customer_id, kind)`,
    { hangsOnSite: false },
  );
  await run(db, [
    `alter table pending_changes add constraint pending_changes_customer_fk foreign key (site_id, customer_id) references customers (site_id, id) on delete cascade`,
  ]);
}
