-- The schema of Sayso, made by `npm run schema` from a database with all migrations: to read, and to see in a diff what
-- a migration changes. db/migrations says what each table is for, db/tables.ts what its columns mean.
--
-- sayso_app stands for the server's role, whose name is derived from the key.

create table installation (
  id integer not null,
  key_fingerprint text not null,
  workers_paused_at timestamptz,
  restored_at timestamptz,
  backup_taken_at timestamptz,
  keys_from_before text[] not null default '{}'::text[],
  constraint installation_pkey primary key (id),
  constraint installation_single_check check (id = 1)
);
grant select on installation to sayso_app;

create unlogged table rate_limits (
  key character varying(255) not null,
  points integer not null default 0,
  expire bigint,
  constraint rate_limits_pkey primary key (key)
);
grant select, insert, update, delete on rate_limits to sayso_app;

create table outbox_emails (
  id uuid not null,
  recipient text not null,
  sender text not null,
  subject text not null,
  html text not null,
  plain text not null,
  created_at timestamptz not null,
  attachments jsonb not null default '[]'::jsonb,
  constraint outbox_emails_pkey primary key (id)
);
create index outbox_emails_created_idx on outbox_emails (created_at);
grant select, insert, update, delete on outbox_emails to sayso_app;

create table users (
  id uuid not null,
  username text not null,
  username_key text not null,
  email text not null,
  email_key text not null,
  password_hash text,
  google_subject text,
  first_name text not null,
  last_name text not null,
  avatar text,
  organization_id uuid,
  permissions text[] not null default '{}'::text[],
  plan_groups text[] not null default '{}'::text[],
  attrs jsonb not null,
  created_at timestamptz not null,
  google_issuer text,
  google_email text,
  email_proven_at timestamptz,
  constraint users_pkey primary key (id),
  constraint users_email_key unique (email_key),
  constraint users_google_identity_key unique (google_issuer, google_subject),
  constraint users_username_key unique (username_key)
);
grant select, insert, update, delete on users to sayso_app;

create table avatars (
  user_id uuid not null,
  id uuid not null,
  bytes bytea not null,
  created_at timestamptz not null,
  constraint avatars_pkey primary key (user_id),
  constraint avatars_id_key unique (id),
  constraint avatars_user_fk foreign key (user_id) references users(id) on delete cascade
);
grant select, insert, update, delete on avatars to sayso_app;

create table surveys (
  id uuid not null,
  user_id uuid not null,
  version integer not null,
  data jsonb not null,
  created_at timestamptz not null,
  constraint surveys_pkey primary key (id),
  constraint surveys_user_fk foreign key (user_id) references users(id) on delete cascade
);
create index surveys_user_idx on surveys (user_id);
grant select, insert, update, delete on surveys to sayso_app;

create table password_links (
  token_hash bytea not null,
  user_id uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint password_links_pkey primary key (token_hash),
  constraint password_links_user_fk foreign key (user_id) references users(id) on delete cascade
);
create index password_links_expires_idx on password_links (expires_at);
create index password_links_user_idx on password_links (user_id);
grant select, insert, update, delete on password_links to sayso_app;

create table account_links (
  token_hash bytea not null,
  user_id uuid not null,
  kind text not null,
  details jsonb not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint account_links_pkey primary key (token_hash),
  constraint account_links_user_fk foreign key (user_id) references users(id) on delete cascade
);
create index account_links_expires_idx on account_links (expires_at);
create index account_links_user_idx on account_links (user_id);
grant select, insert, update, delete on account_links to sayso_app;

create table sessions (
  id uuid not null,
  user_id uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  browser text,
  system text,
  authenticated_at timestamptz,
  set_up_required boolean not null default false,
  constraint sessions_pkey primary key (id),
  constraint sessions_user_fk foreign key (user_id) references users(id) on delete cascade
);
create index sessions_ended_idx on sessions (LEAST(expires_at, revoked_at));
create index sessions_user_idx on sessions (user_id);
grant select, insert, update, delete on sessions to sayso_app;

create table refresh_tokens (
  token_hash bytea not null,
  session_id uuid not null,
  created_at timestamptz not null,
  used_at timestamptz,
  constraint refresh_tokens_pkey primary key (token_hash),
  constraint refresh_tokens_session_fk foreign key (session_id) references sessions(id) on delete cascade
);
create index refresh_tokens_session_idx on refresh_tokens (session_id);
create index refresh_tokens_used_idx on refresh_tokens (used_at) where used_at is not null;
grant select, insert, update, delete on refresh_tokens to sayso_app;

create table totp_factors (
  user_id uuid not null,
  secret_sealed text not null,
  last_step bigint not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  constraint totp_factors_pkey primary key (user_id),
  constraint totp_factors_user_fk foreign key (user_id) references users(id) on delete cascade
);
grant select, insert, update, delete on totp_factors to sayso_app;

create table passkeys (
  id uuid not null,
  user_id uuid not null,
  credential_id text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  is_synced boolean not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  blocked_at timestamptz,
  constraint passkeys_pkey primary key (id),
  constraint passkeys_credential_key unique (credential_id),
  constraint passkeys_user_fk foreign key (user_id) references users(id) on delete cascade
);
create index passkeys_user_idx on passkeys (user_id);
grant select, insert, update, delete on passkeys to sayso_app;

create table recovery_codes (
  user_id uuid not null,
  code_hash bytea not null,
  salt bytea not null,
  created_at timestamptz not null,
  used_at timestamptz,
  constraint recovery_codes_pkey primary key (user_id, code_hash),
  constraint recovery_codes_user_fk foreign key (user_id) references users(id) on delete cascade
);
grant select, insert, update, delete on recovery_codes to sayso_app;

create table used_tickets (
  id uuid not null,
  expires_at timestamptz not null,
  constraint used_tickets_pkey primary key (id)
);
create index used_tickets_expires_idx on used_tickets (expires_at);
grant select, insert, update, delete on used_tickets to sayso_app;

create table organizations (
  id uuid not null,
  name text not null,
  name_key text not null,
  created_by uuid not null,
  subscription text,
  valid_until timestamptz,
  created_at timestamptz not null,
  deletion_requested_at timestamptz,
  requires_second_factor boolean not null default false,
  constraint organizations_pkey primary key (id),
  constraint organizations_name_key unique (name_key)
);
grant select, insert, update, delete on organizations to sayso_app;

create table sites (
  id uuid not null,
  organization_id uuid not null,
  name text not null,
  created_at timestamptz not null,
  link_lifetime_days integer not null default 180,
  sender_name text not null default '',
  reply_to text not null default '',
  operator jsonb,
  delivery_content_days integer not null default 30,
  test_mode boolean not null default false,
  test_emails text[] not null default '{}'::text[],
  evidence_anchor text not null default '',
  evidence_anchor_agreed text not null default '',
  record_mailboxes jsonb not null default '{}'::jsonb,
  taken_down_at timestamptz,
  taken_down_reason text not null default '',
  constraint sites_pkey primary key (id),
  constraint sites_delivery_content_days_check check (delivery_content_days >= 1 and delivery_content_days <= 365),
  constraint sites_link_lifetime_check check (link_lifetime_days >= 30 and link_lifetime_days <= 730),
  constraint sites_organization_fk foreign key (organization_id) references organizations(id) on delete cascade
);
create index sites_organization_idx on sites (organization_id);
grant select, insert, update, delete on sites to sayso_app;

create table host_names (
  host text not null,
  site_id uuid not null,
  kind text not null,
  created_at timestamptz not null,
  constraint host_names_pkey primary key (host),
  constraint host_names_kind_check check (kind in ('subdomain', 'custom')),
  constraint host_names_site_fk foreign key (site_id) references sites(id) on delete cascade
);
create index host_names_site_idx on host_names (site_id);
grant select, insert, update, delete on host_names to sayso_app;

create table host_name_owners (
  host text not null,
  organization_id uuid not null,
  owned_since timestamptz not null,
  released_at timestamptz,
  constraint host_name_owners_pkey primary key (host)
);
grant select, insert, update, delete on host_name_owners to sayso_app;

create table site_domains (
  site_id uuid not null,
  host text not null,
  created_at timestamptz not null,
  verified_at timestamptz,
  proof text,
  proof_missing_since timestamptz,
  warned_at timestamptz,
  lapsed_at timestamptz,
  checked_at timestamptz,
  next_check_at timestamptz not null,
  findings jsonb,
  constraint site_domains_pkey primary key (site_id),
  constraint site_domains_site_fk foreign key (site_id) references sites(id) on delete cascade
);
create index site_domains_due_idx on site_domains (next_check_at);
create index site_domains_host_idx on site_domains (host);
grant select, insert, update, delete on site_domains to sayso_app;

create table members (
  organization_id uuid not null,
  user_id uuid not null,
  role text not null,
  created_at timestamptz not null,
  constraint members_pkey primary key (organization_id, user_id),
  constraint members_role_check check (role in ('viewer', 'editor', 'admin', 'owner')),
  constraint members_organization_fk foreign key (organization_id) references organizations(id) on delete cascade,
  constraint members_user_fk foreign key (user_id) references users(id) on delete cascade
);
create index members_user_idx on members (user_id);
grant select, insert, update, delete on members to sayso_app;

create table invitations (
  id uuid not null,
  organization_id uuid not null,
  email text not null,
  email_key text not null,
  role text not null,
  token_hash bytea not null,
  invited_by uuid not null,
  sent_at timestamptz not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  constraint invitations_pkey primary key (id),
  constraint invitations_email_key unique (organization_id, email_key),
  constraint invitations_token_key unique (token_hash),
  constraint invitations_role_check check (role in ('viewer', 'editor', 'admin', 'owner')),
  constraint invitations_organization_fk foreign key (organization_id) references organizations(id) on delete cascade,
  constraint invitations_user_fk foreign key (invited_by) references users(id) on delete cascade
);
grant select, insert, update, delete on invitations to sayso_app;

create table audit_log (
  site_id uuid not null,
  id uuid not null,
  actor text not null,
  event text not null,
  subject text not null,
  details jsonb not null,
  created_at timestamptz not null,
  constraint audit_log_pkey primary key (site_id, id),
  constraint audit_log_site_fk foreign key (site_id) references sites(id) on delete cascade
);
create index audit_log_actor_idx on audit_log (site_id, actor, event, id);
create index audit_log_event_idx on audit_log (site_id, event, id);
alter table audit_log enable row level security;
alter table audit_log force row level security;
create policy audit_log_site on audit_log using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy audit_log_owner on audit_log to current_user using (true) with check (true);
grant select, insert on audit_log to sayso_app;

create table api_keys (
  site_id uuid not null,
  id uuid not null,
  name text not null,
  key_hash bytea not null,
  created_by uuid not null,
  created_at timestamptz not null,
  last_changed_at timestamptz,
  revoked_at timestamptz,
  scopes text[] not null default '{}'::text[],
  expires_at timestamptz,
  created_by_name text,
  created_by_email text,
  last_used_at timestamptz,
  constraint api_keys_pkey primary key (site_id, id),
  constraint api_keys_hash_key unique (site_id, key_hash),
  constraint api_keys_site_fk foreign key (site_id) references sites(id) on delete cascade
);
alter table api_keys enable row level security;
alter table api_keys force row level security;
create policy api_keys_site on api_keys using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy api_keys_owner on api_keys to current_user using (true) with check (true);
grant select, insert, update, delete on api_keys to sayso_app;

create table integrations (
  site_id uuid not null,
  id uuid not null,
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
  connected_by text not null default 'credentials',
  consecutive_failures integer not null default 0,
  rests_until timestamptz,
  late_notice_at timestamptz,
  account_id text not null default '',
  webhook_registered_at timestamptz,
  webhook_checked_at timestamptz,
  webhook_called_at timestamptz,
  webhook_reason text,
  constraint integrations_pkey primary key (site_id, id),
  constraint integrations_connected_by_check check (connected_by in ('credentials', 'oauth')),
  constraint integrations_site_fk foreign key (site_id) references sites(id) on delete cascade
);
alter table integrations enable row level security;
alter table integrations force row level security;
create policy integrations_site on integrations using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy integrations_owner on integrations to current_user using (true) with check (true);
grant select, insert, update, delete on integrations to sayso_app;

create unlogged table tool_rate_limits (
  account text not null,
  next_slot_at timestamptz not null,
  slowdown real not null,
  constraint tool_rate_limits_pkey primary key (account)
);
grant select, insert, update, delete on tool_rate_limits to sayso_app;

create table token_renewals (
  site_id uuid not null,
  integration_id uuid not null,
  renew_at timestamptz,
  lease uuid,
  locked_until timestamptz,
  constraint token_renewals_pkey primary key (site_id, integration_id),
  constraint token_renewals_site_fk foreign key (site_id) references sites(id) on delete cascade
);
create index token_renewals_renew_idx on token_renewals (renew_at) where renew_at is not null;
grant select, insert, update, delete on token_renewals to sayso_app;

create table scheduled_tasks (
  site_id uuid not null,
  integration_id uuid not null,
  kind text not null,
  due_at timestamptz not null,
  lease uuid,
  constraint scheduled_tasks_pkey primary key (site_id, integration_id, kind),
  constraint scheduled_tasks_site_fk foreign key (site_id) references sites(id) on delete cascade
);
create index scheduled_tasks_due_idx on scheduled_tasks (due_at);
grant select, insert, update, delete on scheduled_tasks to sayso_app;

create table lists (
  site_id uuid not null,
  id uuid not null,
  name text not null,
  description text not null,
  show_order integer not null,
  default_state boolean not null,
  translations jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  double_opt_in boolean not null default false,
  legal_basis text,
  constraint lists_pkey primary key (site_id, id),
  constraint lists_legal_basis_check check (legal_basis in ('consent', 'soft_opt_in', 'contract', 'legitimate_interest')),
  constraint lists_site_fk foreign key (site_id) references sites(id) on delete cascade
);
alter table lists enable row level security;
alter table lists force row level security;
create policy lists_site on lists using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy lists_owner on lists to current_user using (true) with check (true);
grant select, insert, update, delete on lists to sayso_app;

create table customers (
  site_id uuid not null,
  id uuid not null,
  email text,
  email_key text,
  global_unsubscribe boolean not null,
  sequence integer not null,
  evidence_hash bytea,
  person_salt bytea,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  erased_at timestamptz,
  paused_until timestamptz,
  erased_key bytea,
  link_generation integer not null default 0,
  links_ended_at timestamptz,
  merged_into uuid,
  wrong_recipient_at timestamptz,
  visit_id bytea,
  visit_from integer,
  constraint customers_pkey primary key (site_id, id),
  constraint customers_email_key unique (site_id, email_key),
  constraint customers_pause_check check (paused_until is null or global_unsubscribe),
  constraint customers_site_fk foreign key (site_id) references sites(id) on delete cascade
);
create index customers_erased_idx on customers (site_id, erased_key) where erased_key is not null;
create index customers_merged_idx on customers (site_id, merged_into) where merged_into is not null;
create index customers_present_idx on customers (site_id, id) where erased_at is null and merged_into is null;
create index customers_search_idx on customers (site_id, email_key text_pattern_ops);
create index customers_wrong_recipient_idx on customers (site_id, id) where wrong_recipient_at is not null;
alter table customers enable row level security;
alter table customers force row level security;
create policy customers_site on customers using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy customers_owner on customers to current_user using (true) with check (true);
grant select, insert, update on customers to sayso_app;

create table customer_timers (
  site_id uuid not null,
  customer_id uuid not null,
  kind text not null,
  due_at timestamptz not null,
  created_at timestamptz not null,
  constraint customer_timers_pkey primary key (site_id, customer_id, kind),
  constraint customer_timers_kind_check check (kind in ('resume', 'erase', 'pending_end', 'merge', 'complaint')),
  constraint customer_timers_site_fk foreign key (site_id) references sites(id) on delete cascade
);
create index customer_timers_due_idx on customer_timers (due_at);
grant select, insert, update, delete on customer_timers to sayso_app;

create table subscriptions (
  site_id uuid not null,
  customer_id uuid not null,
  list_id uuid not null,
  subscribed boolean not null,
  changed_at timestamptz not null,
  constraint subscriptions_pkey primary key (site_id, customer_id, list_id),
  constraint subscriptions_customer_fk foreign key (site_id, customer_id) references customers(site_id, id) on delete cascade,
  constraint subscriptions_list_fk foreign key (site_id, list_id) references lists(site_id, id) on delete cascade
);
create index subscriptions_list_idx on subscriptions (site_id, list_id);
alter table subscriptions enable row level security;
alter table subscriptions force row level security;
create policy subscriptions_site on subscriptions using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy subscriptions_owner on subscriptions to current_user using (true) with check (true);
grant select, insert, update, delete on subscriptions to sayso_app;

create table email_bounces (
  site_id uuid not null,
  customer_id uuid not null,
  email_key text not null,
  status integer not null,
  reply text not null,
  bounced_at timestamptz not null,
  constraint email_bounces_pkey primary key (site_id, customer_id),
  constraint email_bounces_site_fk foreign key (site_id) references sites(id) on delete cascade
);
alter table email_bounces enable row level security;
alter table email_bounces force row level security;
create policy email_bounces_site on email_bounces using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy email_bounces_owner on email_bounces to current_user using (true) with check (true);
grant select, insert, update, delete on email_bounces to sayso_app;

create table counters (
  site_id uuid not null,
  day integer not null,
  metric text not null,
  list_id uuid not null,
  slot smallint not null,
  value bigint not null,
  constraint counters_pkey primary key (site_id, day, metric, list_id, slot),
  constraint counters_site_fk foreign key (site_id) references sites(id) on delete cascade
);
alter table counters enable row level security;
alter table counters force row level security;
create policy counters_site on counters using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy counters_owner on counters to current_user using (true) with check (true);
grant select, insert, update, delete on counters to sayso_app;

create table choices (
  site_id uuid not null,
  id uuid not null,
  customer_id uuid not null,
  sequence integer not null,
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
  undoes_sequence integer,
  requested jsonb,
  save_hash bytea,
  is_test boolean,
  replaced jsonb,
  visit_id bytea,
  constraint choices_pkey primary key (site_id, id),
  constraint choices_save_id_key unique (site_id, customer_id, save_id),
  constraint choices_sequence_key unique (site_id, customer_id, sequence),
  constraint choices_customer_fk foreign key (site_id, customer_id) references customers(site_id, id) on delete cascade
);
create index choices_arrival_idx on choices (site_id, id) where events = '{customer_created}'::text[] and lists = '[]'::jsonb and is_test is null;
create index choices_burst_idx on choices (site_id, id) where replaced is not null and (source in ('tool', 'owner', 'api'));
create index choices_replaced_idx on choices (site_id, id) where replaced is not null;
create index choices_test_idx on choices (site_id, id) where is_test;
alter table choices enable row level security;
alter table choices force row level security;
create policy choices_site on choices using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy choices_owner on choices to current_user using (true) with check (true);
grant select, insert on choices to sayso_app;

create table leave_reasons (
  site_id uuid not null,
  choice_id uuid not null,
  customer_id uuid not null,
  reason text not null,
  created_at timestamptz not null,
  constraint leave_reasons_pkey primary key (site_id, choice_id),
  constraint leave_reasons_site_fk foreign key (site_id) references sites(id) on delete cascade
);
create index leave_reasons_given_idx on leave_reasons (site_id, created_at) include (reason, choice_id);
create index leave_reasons_reason_idx on leave_reasons (site_id, reason, choice_id);
create index leave_reasons_time_idx on leave_reasons (site_id, created_at);
alter table leave_reasons enable row level security;
alter table leave_reasons force row level security;
create policy leave_reasons_site on leave_reasons using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy leave_reasons_owner on leave_reasons to current_user using (true) with check (true);
grant select, insert, update, delete on leave_reasons to sayso_app;

create table subscription_changes (
  site_id uuid not null,
  choice_id uuid not null,
  list_id uuid not null,
  joined boolean not null,
  constraint subscription_changes_pkey primary key (site_id, choice_id, list_id) include (joined),
  constraint subscription_changes_choice_fk foreign key (site_id, choice_id) references choices(site_id, id) on delete cascade
);
create index subscription_changes_joined_idx on subscription_changes (site_id, joined, choice_id);
create index subscription_changes_list_idx on subscription_changes (site_id, list_id, joined, choice_id);
alter table subscription_changes enable row level security;
alter table subscription_changes force row level security;
create policy subscription_changes_site on subscription_changes using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy subscription_changes_owner on subscription_changes to current_user using (true) with check (true);
grant select, insert, update, delete on subscription_changes to sayso_app;

create table evidence_checks (
  site_id uuid not null,
  id uuid not null,
  records bigint not null,
  chains bigint not null,
  broken integer not null,
  findings jsonb not null,
  anchor jsonb not null,
  seal bytea not null,
  checked_at timestamptz not null,
  constraint evidence_checks_pkey primary key (site_id, id),
  constraint evidence_checks_site_fk foreign key (site_id) references sites(id) on delete cascade
);
alter table evidence_checks enable row level security;
alter table evidence_checks force row level security;
create policy evidence_checks_site on evidence_checks using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy evidence_checks_owner on evidence_checks to current_user using (true) with check (true);
grant select, insert on evidence_checks to sayso_app;

create table evidence_check_tasks (
  site_id uuid not null,
  due_at timestamptz not null,
  lease uuid,
  checked_at timestamptz,
  broken integer not null,
  constraint evidence_check_tasks_pkey primary key (site_id),
  constraint evidence_check_tasks_site_fk foreign key (site_id) references sites(id) on delete cascade
);
create index evidence_check_tasks_due_idx on evidence_check_tasks (due_at);
grant select, insert, update, delete on evidence_check_tasks to sayso_app;

create table preference_pages (
  site_id uuid not null,
  id uuid not null,
  name text not null,
  custom_path text not null,
  allow_customer_create boolean not null,
  favicon text not null,
  logo text not null,
  active_languages text[] not null,
  attrs jsonb not null,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  embed_origins text[] not null default '{}'::text[],
  constraint preference_pages_pkey primary key (site_id, id),
  constraint preference_pages_path_key unique (site_id, custom_path),
  constraint preference_pages_site_fk foreign key (site_id) references sites(id) on delete cascade
);
alter table preference_pages enable row level security;
alter table preference_pages force row level security;
create policy preference_pages_site on preference_pages using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy preference_pages_owner on preference_pages to current_user using (true) with check (true);
grant select, insert, update, delete on preference_pages to sayso_app;

create table page_lists (
  site_id uuid not null,
  page_id uuid not null,
  list_id uuid not null,
  position integer not null,
  constraint page_lists_pkey primary key (site_id, page_id, list_id),
  constraint page_lists_list_fk foreign key (site_id, list_id) references lists(site_id, id) on delete cascade,
  constraint page_lists_page_fk foreign key (site_id, page_id) references preference_pages(site_id, id) on delete cascade
);
create index page_lists_list_idx on page_lists (site_id, list_id);
alter table page_lists enable row level security;
alter table page_lists force row level security;
create policy page_lists_site on page_lists using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy page_lists_owner on page_lists to current_user using (true) with check (true);
grant select, insert, update, delete on page_lists to sayso_app;

create table page_drafts (
  site_id uuid not null,
  page_id uuid not null,
  content jsonb not null,
  base_version integer not null,
  revision integer not null,
  saved_by uuid not null,
  created_at timestamptz not null,
  saved_at timestamptz not null,
  editor_id text,
  constraint page_drafts_pkey primary key (site_id, page_id),
  constraint page_drafts_page_fk foreign key (site_id, page_id) references preference_pages(site_id, id) on delete cascade
);
alter table page_drafts enable row level security;
alter table page_drafts force row level security;
create policy page_drafts_site on page_drafts using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy page_drafts_owner on page_drafts to current_user using (true) with check (true);
grant select, insert, update, delete on page_drafts to sayso_app;

create table page_versions (
  site_id uuid not null,
  page_id uuid not null,
  version integer not null,
  content jsonb not null,
  changes jsonb not null,
  saved_by uuid,
  saved_at timestamptz not null,
  constraint page_versions_pkey primary key (site_id, page_id, version),
  constraint page_versions_page_fk foreign key (site_id, page_id) references preference_pages(site_id, id) on delete cascade
);
alter table page_versions enable row level security;
alter table page_versions force row level security;
create policy page_versions_site on page_versions using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy page_versions_owner on page_versions to current_user using (true) with check (true);
grant select, insert, update, delete on page_versions to sayso_app;

create table images (
  site_id uuid not null,
  id uuid not null,
  sha256 bytea not null,
  kind text not null,
  width integer not null,
  height integer not null,
  bytes bytea not null,
  created_at timestamptz not null,
  constraint images_pkey primary key (site_id, id),
  constraint images_content_key unique (site_id, kind, sha256),
  constraint images_site_fk foreign key (site_id) references sites(id) on delete cascade
);
alter table images enable row level security;
alter table images force row level security;
create policy images_site on images using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy images_owner on images to current_user using (true) with check (true);
grant select, insert, update, delete on images to sayso_app;

create table actions (
  site_id uuid not null,
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
  target_gone_at timestamptz,
  constraint actions_pkey primary key (site_id, id),
  constraint actions_integration_fk foreign key (site_id, integration_id) references integrations(site_id, id) on delete cascade,
  constraint actions_site_fk foreign key (site_id) references sites(id) on delete cascade
);
alter table actions enable row level security;
alter table actions force row level security;
create policy actions_site on actions using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy actions_owner on actions to current_user using (true) with check (true);
grant select, insert, update, delete on actions to sayso_app;

create table deliveries (
  site_id uuid not null,
  id uuid not null,
  action_id uuid not null,
  customer_id uuid not null,
  choice_id uuid not null,
  event text not null,
  status text not null,
  attempt_count integer not null,
  try_count integer not null,
  next_attempt_at timestamptz,
  last_error text,
  created_at timestamptz not null,
  finished_at timestamptz,
  confirmed_at timestamptz,
  outcome text,
  confirmation_reads integer not null default 0,
  tool_effect jsonb,
  constraint deliveries_pkey primary key (site_id, id),
  constraint deliveries_outcome_check check (outcome in ('bad_credentials', 'refused', 'not_found', 'rate_limited', 'unavailable', 'confirmed', 'accepted', 'checking', 'unconfirmed', 'awaits_person', 'blocked', 'not_known', 'overtaken', 'untouched', 'erased', 'disconnected', 'tool_off', 'action_off', 'test', 'held')) not VALID,
  constraint deliveries_status_check check (status in ('waiting', 'arrived', 'failed')),
  constraint deliveries_choice_fk foreign key (site_id, choice_id) references choices(site_id, id) on delete cascade
);
create index deliveries_action_idx on deliveries (site_id, action_id, id) include (status, finished_at);
create index deliveries_choice_idx on deliveries (site_id, choice_id);
create index deliveries_customer_idx on deliveries (site_id, customer_id, id);
create index deliveries_due_idx on deliveries (site_id, next_attempt_at) where next_attempt_at is not null;
create index deliveries_late_arrival_idx on deliveries (site_id, finished_at, id) where status = 'arrived' and (finished_at - created_at) > '01:00:00'::interval;
create index deliveries_open_idx on deliveries (site_id, status, id) include (action_id) where status <> 'arrived';
create index deliveries_test_idx on deliveries (site_id, outcome, id) where outcome in ('test', 'held');
create index deliveries_unconfirmed_idx on deliveries (site_id, id) include (action_id) where outcome in ('checking', 'unconfirmed');
alter table deliveries enable row level security;
alter table deliveries force row level security;
create policy deliveries_site on deliveries using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy deliveries_owner on deliveries to current_user using (true) with check (true);
grant select, insert, update, delete on deliveries to sayso_app;

create table delivery_attempts (
  site_id uuid not null,
  delivery_id uuid not null,
  number integer not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  outcome text not null,
  request jsonb not null,
  response jsonb,
  error text,
  content_deleted_at timestamptz,
  constraint delivery_attempts_pkey primary key (site_id, delivery_id, number),
  constraint delivery_attempts_delivery_fk foreign key (site_id, delivery_id) references deliveries(site_id, id) on delete cascade
);
alter table delivery_attempts enable row level security;
alter table delivery_attempts force row level security;
create policy delivery_attempts_site on delivery_attempts using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy delivery_attempts_owner on delivery_attempts to current_user using (true) with check (true);
grant select, insert, update, delete on delivery_attempts to sayso_app;

create table sites_with_work (
  site_id uuid not null,
  due_at timestamptz not null,
  hold_until timestamptz not null,
  constraint sites_with_work_pkey primary key (site_id),
  constraint sites_with_work_site_id_fkey foreign key (site_id) references sites(id) on delete cascade
);
create index sites_with_work_due_idx on sites_with_work (due_at);
grant select, insert, update, delete on sites_with_work to sayso_app;

create table retention_tasks (
  site_id uuid not null,
  due_at timestamptz not null,
  lease uuid,
  up_to_id uuid,
  late_up_to timestamptz,
  constraint retention_tasks_pkey primary key (site_id),
  constraint retention_tasks_site_fk foreign key (site_id) references sites(id) on delete cascade
);
create index retention_tasks_due_idx on retention_tasks (due_at);
grant select, insert, update, delete on retention_tasks to sayso_app;

create table customer_leases (
  site_id uuid not null,
  integration_id uuid not null,
  customer_id uuid not null,
  holder_id uuid not null,
  expires_at timestamptz not null,
  constraint customer_leases_pkey primary key (site_id, integration_id, customer_id),
  constraint customer_leases_site_fk foreign key (site_id) references sites(id) on delete cascade
);
alter table customer_leases enable row level security;
alter table customer_leases force row level security;
create policy customer_leases_site on customer_leases using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy customer_leases_owner on customer_leases to current_user using (true) with check (true);
grant select, insert, update, delete on customer_leases to sayso_app;

create table inbound_requests (
  site_id uuid not null,
  id uuid not null,
  integration_id uuid not null,
  provider text not null,
  state text not null,
  sealed text,
  received_at timestamptz not null,
  constraint inbound_requests_pkey primary key (site_id, id),
  constraint inbound_requests_state_check check (state in ('waiting', 'done', 'failed')),
  constraint inbound_requests_site_fk foreign key (site_id) references sites(id) on delete cascade
);
alter table inbound_requests enable row level security;
alter table inbound_requests force row level security;
create policy inbound_requests_site on inbound_requests using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy inbound_requests_owner on inbound_requests to current_user using (true) with check (true);
grant select, insert, update, delete on inbound_requests to sayso_app;

create table inbound_events (
  site_id uuid not null,
  id uuid not null,
  integration_id uuid not null,
  event_key bytea not null,
  kind text,
  occurred_at timestamptz not null,
  received_at timestamptz not null,
  customer_id uuid,
  email_sealed text,
  outcome text not null,
  reason text,
  choice_id uuid,
  constraint inbound_events_pkey primary key (site_id, integration_id, event_key),
  constraint inbound_events_outcome_check check (outcome in ('applied', 'kept', 'ignored', 'failed')),
  constraint inbound_events_site_fk foreign key (site_id) references sites(id) on delete cascade
);
create index inbound_events_customer_idx on inbound_events (site_id, customer_id) where customer_id is not null;
create unique index inbound_events_id_key on inbound_events (site_id, integration_id, id);
alter table inbound_events enable row level security;
alter table inbound_events force row level security;
create policy inbound_events_site on inbound_events using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy inbound_events_owner on inbound_events to current_user using (true) with check (true);
grant select, insert, update, delete on inbound_events to sayso_app;

create table imports (
  site_id uuid not null,
  id uuid not null,
  source text not null,
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
  position integer not null,
  round integer not null,
  error text,
  created_by uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  ended_at timestamptz,
  column_samples jsonb,
  file_hash bytea,
  tells jsonb not null default '{}'::jsonb,
  constraint imports_pkey primary key (site_id, id),
  constraint imports_source_check check (source in ('csv', 'tool')),
  constraint imports_site_fk foreign key (site_id) references sites(id) on delete cascade
);
alter table imports enable row level security;
alter table imports force row level security;
create policy imports_site on imports using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy imports_owner on imports to current_user using (true) with check (true);
grant select, insert, update, delete on imports to sayso_app;

create table import_rows (
  site_id uuid not null,
  import_id uuid not null,
  number integer not null,
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
  constraint import_rows_pkey primary key (site_id, import_id, number),
  constraint import_rows_import_fk foreign key (site_id, import_id) references imports(site_id, id) on delete cascade
);
create index import_rows_customer_idx on import_rows (site_id, customer_id) where customer_id is not null;
create index import_rows_email_idx on import_rows (site_id, email_key, import_id) where email_key is not null;
create index import_rows_unread_idx on import_rows (site_id, import_id) where email_key is null;
create index import_rows_verdict_idx on import_rows (site_id, import_id, verdict, number);
alter table import_rows enable row level security;
alter table import_rows force row level security;
create policy import_rows_site on import_rows using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy import_rows_owner on import_rows to current_user using (true) with check (true);
grant select, insert, update, delete on import_rows to sayso_app;

create table reconciliations (
  site_id uuid not null,
  id uuid not null,
  integration_id uuid not null,
  kind text not null,
  status text not null,
  filter jsonb,
  cursor uuid,
  counts jsonb not null,
  error text,
  failing_since timestamptz,
  started_at timestamptz not null,
  finished_at timestamptz,
  started_by uuid,
  constraint reconciliations_pkey primary key (site_id, id),
  constraint reconciliations_kind_check check (kind in ('nightly', 'on_demand', 'mending')),
  constraint reconciliations_status_check check (status in ('running', 'finished', 'cancelled', 'failed')),
  constraint reconciliations_site_fk foreign key (site_id) references sites(id) on delete cascade
);
create index reconciliations_integration_idx on reconciliations (site_id, integration_id, id);
create unique index reconciliations_repair_key on reconciliations (site_id, integration_id) where status = 'running' and kind = 'mending';
create unique index reconciliations_running_key on reconciliations (site_id, integration_id) where status = 'running' and kind <> 'mending';
alter table reconciliations enable row level security;
alter table reconciliations force row level security;
create policy reconciliations_site on reconciliations using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy reconciliations_owner on reconciliations to current_user using (true) with check (true);
grant select, insert, update, delete on reconciliations to sayso_app;

create table discrepancies (
  site_id uuid not null,
  id uuid not null,
  reconciliation_id uuid not null,
  integration_id uuid not null,
  customer_id uuid not null,
  action_id uuid,
  target_key text not null,
  kind text not null,
  change jsonb not null,
  ours jsonb not null,
  theirs jsonb not null,
  status text not null,
  error text,
  created_at timestamptz not null,
  resolved_at timestamptz,
  constraint discrepancies_pkey primary key (site_id, id),
  constraint discrepancies_kind_check check (kind in ('opt_out_missing', 'not_applied', 'opted_out_there')),
  constraint discrepancies_status_check check (status in ('open', 'mended', 'dismissed', 'gone')),
  constraint discrepancies_site_fk foreign key (site_id) references sites(id) on delete cascade
);
create index discrepancies_customer_idx on discrepancies (site_id, customer_id);
create index discrepancies_integration_idx on discrepancies (site_id, integration_id, status, id);
create unique index discrepancies_live_key on discrepancies (site_id, integration_id, customer_id, target_key) where status in ('open', 'dismissed');
alter table discrepancies enable row level security;
alter table discrepancies force row level security;
create policy discrepancies_site on discrepancies using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy discrepancies_owner on discrepancies to current_user using (true) with check (true);
grant select, insert, update, delete on discrepancies to sayso_app;

create table link_fields (
  site_id uuid not null,
  id uuid not null,
  integration_id uuid not null,
  field_id text not null,
  field_name text not null,
  full_sync_cursor uuid,
  full_sync_due_at timestamptz not null,
  choice_cursor uuid,
  trouble text,
  created_at timestamptz not null,
  constraint link_fields_pkey primary key (site_id, id),
  constraint link_fields_integration_key unique (site_id, integration_id),
  constraint link_fields_site_fk foreign key (site_id) references sites(id) on delete cascade
);
alter table link_fields enable row level security;
alter table link_fields force row level security;
create policy link_fields_site on link_fields using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy link_fields_owner on link_fields to current_user using (true) with check (true);
grant select, insert, update, delete on link_fields to sayso_app;

create table synced_links (
  site_id uuid not null,
  link_field_id uuid not null,
  customer_id uuid not null,
  state text not null,
  token bytea not null,
  key_id bytea not null,
  sequence integer not null,
  tries integer not null,
  error text,
  tried_at timestamptz not null,
  retry_at timestamptz,
  issued_on integer not null default 0,
  link_generation integer not null default 0,
  constraint synced_links_pkey primary key (site_id, link_field_id, customer_id),
  constraint synced_links_state_check check (state in ('synced', 'unknown', 'refused')),
  constraint synced_links_field_fk foreign key (site_id, link_field_id) references link_fields(site_id, id) on delete cascade
);
create index synced_links_customer_idx on synced_links (site_id, customer_id);
alter table synced_links enable row level security;
alter table synced_links force row level security;
create policy synced_links_site on synced_links using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy synced_links_owner on synced_links to current_user using (true) with check (true);
grant select, insert, update, delete on synced_links to sayso_app;

create table pending_changes (
  site_id uuid not null,
  customer_id uuid not null,
  kind text not null,
  id uuid not null,
  save_id text,
  sequence integer not null,
  change_sealed text not null,
  requested jsonb not null,
  expires_at timestamptz not null,
  list_ids uuid[],
  constraint pending_changes_pkey primary key (site_id, customer_id, kind),
  constraint pending_changes_kind_check check (kind in ('resubscribe', 'email_change', 'subscribe')),
  constraint pending_changes_customer_fk foreign key (site_id, customer_id) references customers(site_id, id) on delete cascade
);
alter table pending_changes enable row level security;
alter table pending_changes force row level security;
create policy pending_changes_site on pending_changes using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy pending_changes_owner on pending_changes to current_user using (true) with check (true);
grant select, insert, update, delete on pending_changes to sayso_app;

create table customer_views (
  site_id uuid not null,
  id uuid not null,
  name text not null,
  name_key text not null,
  filter jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint customer_views_pkey primary key (site_id, id),
  constraint customer_views_name_key unique (site_id, name_key),
  constraint customer_views_site_fk foreign key (site_id) references sites(id) on delete cascade
);
alter table customer_views enable row level security;
alter table customer_views force row level security;
create policy customer_views_site on customer_views using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy customer_views_owner on customer_views to current_user using (true) with check (true);
grant select, insert, update, delete on customer_views to sayso_app;

create table evidence_heads (
  site_id uuid not null,
  id uuid not null,
  number integer not null,
  up_to uuid not null,
  records integer not null,
  leaves bytea not null,
  statement text not null,
  kid text not null,
  signature bytea not null,
  signed_at timestamptz not null,
  constraint evidence_heads_pkey primary key (site_id, id),
  constraint evidence_heads_number_key unique (site_id, number),
  constraint evidence_heads_site_fk foreign key (site_id) references sites(id) on delete cascade
);
create index evidence_heads_up_to_idx on evidence_heads (site_id, up_to);
alter table evidence_heads enable row level security;
alter table evidence_heads force row level security;
create policy evidence_heads_site on evidence_heads using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy evidence_heads_owner on evidence_heads to current_user using (true) with check (true);
grant select, insert on evidence_heads to sayso_app;

create table shown_texts (
  site_id uuid not null,
  hash bytea not null,
  page_id uuid,
  version integer,
  language text,
  content jsonb not null,
  created_at timestamptz not null,
  constraint shown_texts_pkey primary key (site_id, hash),
  constraint shown_texts_site_fk foreign key (site_id) references sites(id) on delete cascade
);
create index shown_texts_page_idx on shown_texts (site_id, page_id, version) where page_id is not null;
alter table shown_texts enable row level security;
alter table shown_texts force row level security;
create policy shown_texts_site on shown_texts using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy shown_texts_owner on shown_texts to current_user using (true) with check (true);
grant select, insert on shown_texts to sayso_app;

create table evidence_keys (
  kid text not null,
  public_key bytea not null,
  created_at timestamptz not null,
  constraint evidence_keys_pkey primary key (kid)
);
grant select, insert on evidence_keys to sayso_app;

create table bulk_undos (
  site_id uuid not null,
  id uuid not null,
  about jsonb not null,
  status text not null,
  counts jsonb not null,
  told jsonb not null,
  cursor uuid,
  round integer not null,
  started_by text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  constraint bulk_undos_pkey primary key (site_id, id),
  constraint bulk_undos_site_fk foreign key (site_id) references sites(id) on delete cascade
);
alter table bulk_undos enable row level security;
alter table bulk_undos force row level security;
create policy bulk_undos_site on bulk_undos using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy bulk_undos_owner on bulk_undos to current_user using (true) with check (true);
grant select, insert, update, delete on bulk_undos to sayso_app;

create table bulk_undo_customers (
  site_id uuid not null,
  undo_id uuid not null,
  customer_id uuid not null,
  verdict text not null,
  plan jsonb not null,
  is_new boolean not null,
  choice_id uuid,
  applied_at timestamptz,
  deleted_at timestamptz,
  constraint bulk_undo_customers_pkey primary key (site_id, undo_id, customer_id),
  constraint bulk_undo_customers_undo_fk foreign key (site_id, undo_id) references bulk_undos(site_id, id) on delete cascade
);
create index bulk_undo_customers_verdict_idx on bulk_undo_customers (site_id, undo_id, verdict, customer_id);
alter table bulk_undo_customers enable row level security;
alter table bulk_undo_customers force row level security;
create policy bulk_undo_customers_site on bulk_undo_customers using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy bulk_undo_customers_owner on bulk_undo_customers to current_user using (true) with check (true);
grant select, insert, update, delete on bulk_undo_customers to sayso_app;

create table complaints (
  site_id uuid not null,
  id uuid not null,
  customer_id uuid not null,
  page_id uuid,
  language text not null,
  text_sealed text,
  answer_sealed text,
  received_at timestamptz not null,
  acknowledged_at timestamptz,
  due_at timestamptz not null,
  notified_at timestamptz,
  reminded_at timestamptz,
  closed_at timestamptz,
  outcome text,
  level text,
  constraint complaints_pkey primary key (site_id, id),
  constraint complaints_outcome_check check (outcome in ('upheld', 'partly_upheld', 'not_upheld', 'erased')),
  constraint complaints_customer_fk foreign key (site_id, customer_id) references customers(site_id, id) on delete cascade
);
create index complaints_customer_idx on complaints (site_id, customer_id);
create index complaints_open_idx on complaints (site_id, due_at) where closed_at is null;
alter table complaints enable row level security;
alter table complaints force row level security;
create policy complaints_site on complaints using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy complaints_owner on complaints to current_user using (true) with check (true);
grant select, insert, update, delete on complaints to sayso_app;

create table evidence_key_endorsements (
  kid text not null,
  mac bytea not null,
  constraint evidence_key_endorsements_pkey primary key (kid, mac)
);
grant select, insert on evidence_key_endorsements to sayso_app;

create table kept_opt_outs (
  site_id uuid not null,
  address_hash bytea not null,
  about text not null,
  kind text not null,
  integration_id uuid,
  happened_at timestamptz not null,
  kept_at timestamptz not null,
  constraint kept_opt_outs_pkey primary key (site_id, address_hash, about),
  constraint kept_opt_outs_site_fk foreign key (site_id) references sites(id) on delete cascade
);
alter table kept_opt_outs enable row level security;
alter table kept_opt_outs force row level security;
create policy kept_opt_outs_site on kept_opt_outs using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy kept_opt_outs_owner on kept_opt_outs to current_user using (true) with check (true);
grant select, insert, update, delete on kept_opt_outs to sayso_app;

create table former_addresses (
  site_id uuid not null,
  address_hash bytea not null,
  customer_id uuid not null,
  moved_at timestamptz not null,
  constraint former_addresses_pkey primary key (site_id, address_hash, customer_id),
  constraint former_addresses_customer_fk foreign key (site_id, customer_id) references customers(site_id, id) on delete cascade
);
create index former_addresses_customer_idx on former_addresses (site_id, customer_id);
alter table former_addresses enable row level security;
alter table former_addresses force row level security;
create policy former_addresses_site on former_addresses using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy former_addresses_owner on former_addresses to current_user using (true) with check (true);
grant select, insert, update, delete on former_addresses to sayso_app;

create table known_opt_outs (
  site_id uuid not null,
  integration_id uuid not null,
  record_hash bytea not null,
  address_hash bytea not null,
  known_at timestamptz not null,
  constraint known_opt_outs_pkey primary key (site_id, integration_id, record_hash),
  constraint known_opt_outs_site_fk foreign key (site_id) references sites(id) on delete cascade
);
alter table known_opt_outs enable row level security;
alter table known_opt_outs force row level security;
create policy known_opt_outs_site on known_opt_outs using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy known_opt_outs_owner on known_opt_outs to current_user using (true) with check (true);
grant select, insert, update, delete on known_opt_outs to sayso_app;

create table evidence_anchors (
  site_id uuid not null,
  target text not null,
  number integer,
  arrived_at timestamptz,
  error text,
  constraint evidence_anchors_pkey primary key (site_id),
  constraint evidence_anchors_site_fk foreign key (site_id) references sites(id) on delete cascade
);
alter table evidence_anchors enable row level security;
alter table evidence_anchors force row level security;
create policy evidence_anchors_site on evidence_anchors using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy evidence_anchors_owner on evidence_anchors to current_user using (true) with check (true);
grant select, insert, update, delete on evidence_anchors to sayso_app;

create table abuse_reports (
  site_id uuid not null,
  id uuid not null,
  host text not null,
  path text not null,
  reason text not null,
  details_sealed text not null,
  received_at timestamptz not null,
  closed_at timestamptz,
  constraint abuse_reports_pkey primary key (site_id, id),
  constraint abuse_reports_reason_check check (reason in ('phishing', 'unasked', 'illegal', 'other')),
  constraint abuse_reports_site_fk foreign key (site_id) references sites(id) on delete cascade
);
alter table abuse_reports enable row level security;
alter table abuse_reports force row level security;
create policy abuse_reports_site on abuse_reports using (site_id = nullif(current_setting('app.site_id', true), '')::uuid) with check (site_id = nullif(current_setting('app.site_id', true), '')::uuid);
create policy abuse_reports_owner on abuse_reports to current_user using (true) with check (true);
grant select, insert, update, delete on abuse_reports to sayso_app;

create or replace function public.analyze_grown_tables()
 returns integer
 language plpgsql
 security definer
 set search_path to 'pg_catalog'
as $function$
  declare
    grown regclass;
    analyzed int := 0;
    page constant int := current_setting('block_size')::int;
  begin
    for grown in
      select oid::regclass from pg_class
      where relkind = 'r' and relnamespace in ('public'::regnamespace, to_regnamespace('queue'))
        and pg_relation_size(oid) >= 4 * page
        and (pg_relation_size(oid) >= 4::bigint * page * relpages or pg_stat_get_live_tuples(oid) >= 2 * reltuples)
        and pg_stat_get_live_tuples(oid) > 0
    loop
      execute format('analyze (skip_locked) %s', grown);
      analyzed := analyzed + 1;
    end loop;
    return analyzed;
  end $function$;
revoke execute on function analyze_grown_tables() from public;
grant execute on function analyze_grown_tables() to sayso_app;

create or replace function public.forget_audit_entries(before timestamptz, most integer)
 returns integer
 language plpgsql
 security definer
 set search_path to 'pg_catalog'
 set plan_cache_mode to 'force_custom_plan'
as $function$
  declare
    of_site uuid := nullif(current_setting('app.site_id', true), '')::uuid;
    old uuid[];
  begin
    if before > now() - interval '365 days' then
      raise exception 'audit_log is kept for 365 days';
    end if;
    old := array(select id from (
      select id, created_at from public.audit_log where site_id = of_site order by id limit most
    ) as oldest where created_at < before and not (false));
    delete from public.audit_log where site_id = of_site and id = any(old);
    return cardinality(old);
  end $function$;
revoke execute on function forget_audit_entries(timestamp with time zone,integer) from public;
grant execute on function forget_audit_entries(timestamp with time zone,integer) to sayso_app;

create or replace function public.forget_evidence_checks(before timestamptz, most integer)
 returns integer
 language plpgsql
 security definer
 set search_path to 'pg_catalog'
 set plan_cache_mode to 'force_custom_plan'
as $function$
  declare
    of_site uuid := nullif(current_setting('app.site_id', true), '')::uuid;
    old uuid[];
  begin
    if before > now() - interval '90 days' then
      raise exception 'evidence_checks is kept for 90 days';
    end if;
    old := array(select id from (
      select id, checked_at from public.evidence_checks where site_id = of_site order by id limit most
    ) as oldest where checked_at < before and not (id = (select id from public.evidence_checks where site_id = of_site order by id desc limit 1)));
    delete from public.evidence_checks where site_id = of_site and id = any(old);
    return cardinality(old);
  end $function$;
revoke execute on function forget_evidence_checks(timestamp with time zone,integer) from public;
grant execute on function forget_evidence_checks(timestamp with time zone,integer) to sayso_app;
