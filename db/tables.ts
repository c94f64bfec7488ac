import type { ColumnType, Generated, JSONColumnType } from 'kysely';
import type { ActionType } from '#contract/actions.ts';
import type { ChoiceEvent, ChoiceSource, Evidence } from '#contract/choices.ts';
import type { Attempt, DeliveryStatus } from '#contract/deliveries.ts';
import type { Language } from '#contract/fields.ts';
import type { List } from '#contract/lists.ts';
import type { PageAttrs } from '#contract/preference-pages.ts';

type Json<T extends object | null> = JSONColumnType<T>;
type CreatedAt = ColumnType<Date, Date, never>;

/** Tables that come before any tenant: accounts, organizations, sites, hosts. No row-level security. */
export interface GlobalTables {
  users: {
    id: string;
    username: string;
    username_key: string;
    email: string;
    email_key: string;
    password_hash: string | null;
    google_subject: string | null;
    first_name: string;
    last_name: string;
    avatar: string | null;
    organization_id: string | null;
    permissions: Generated<string[]>;
    plan_groups: Generated<string[]>;
    attrs: Json<Record<string, unknown>>;
    created_at: CreatedAt;
  };
  password_links: {
    token_hash: Buffer;
    user_id: string;
    created_at: CreatedAt;
    expires_at: Date;
    used_at: Date | null;
  };
  refresh_families: {
    id: string;
    user_id: string;
    created_at: CreatedAt;
    expires_at: Date;
    revoked_at: Date | null;
  };
  refresh_tokens: { token_hash: Buffer; family_id: string; created_at: CreatedAt; used_at: Date | null };
  surveys: { id: string; user_id: string; version: number; data: Json<object>; created_at: CreatedAt };
  organizations: {
    id: string;
    name: string;
    name_key: string;
    created_by: string;
    subscription: string | null;
    valid_until: Date | null;
    created_at: CreatedAt;
  };
  members: { organization_id: string; user_id: string; role: string; created_at: CreatedAt };
  sites: { id: string; organization_id: string; name: string; created_at: CreatedAt };
  host_names: { host: string; site_id: string; kind: 'subdomain' | 'custom'; created_at: CreatedAt };
  kept_mails: {
    id: string;
    recipient: string;
    sender: string;
    subject: string;
    html: string;
    plain: string;
    created_at: CreatedAt;
  };
}

/** Tables of a site: every row and every key carries `site_id`, and row-level security is forced. */
export interface TenantTables {
  lists: {
    site_id: string;
    id: string;
    name: string;
    description: string;
    show_order: number;
    default_state: boolean;
    translations: Json<List['translations']>;
    created_at: CreatedAt;
    updated_at: Date;
  };
  preference_pages: {
    site_id: string;
    id: string;
    name: string;
    custom_path: string;
    allow_customer_create: boolean;
    favicon: string;
    logo: string;
    active_languages: Language[];
    attrs: Json<PageAttrs>;
    version: number;
    created_at: CreatedAt;
    updated_at: Date;
  };
  page_lists: { site_id: string; page_id: string; list_id: string; position: number };
  customers: {
    site_id: string;
    id: string;
    email: string | null;
    email_key: string | null;
    global_unsubscribe: boolean;
    consent_epoch: number;
    sequence: number;
    evidence_hash: Buffer | null;
    /** Without it nobody can open who the customer's evidence is about; erasing a person erases it. */
    person_salt: Buffer | null;
    created_at: CreatedAt;
    updated_at: Date;
    erased_at: Date | null;
  };
  subscriptions: {
    site_id: string;
    customer_id: string;
    list_id: string;
    subscribed: boolean;
    changed_at: Date;
  };
  choices: {
    site_id: string;
    id: string;
    customer_id: string;
    sequence: number;
    save_id: string | null;
    source: ChoiceSource;
    authority: Evidence['authority'];
    events: ChoiceEvent[];
    lists: Json<Evidence['lists']>;
    global_unsubscribe: boolean;
    shown: Json<Evidence['shown']>;
    language: Language | null;
    person_hash: Buffer;
    person_sealed: string;
    ip: string | null;
    occurred_at: CreatedAt;
    previous_hash: Buffer | null;
    hash: Buffer;
  };
  integrations: {
    site_id: string;
    id: string;
    provider: string;
    name: string;
    credentials_sealed: string;
    status: string;
    created_at: CreatedAt;
    updated_at: Date;
  };
  actions: {
    site_id: string;
    id: string;
    type: ActionType;
    name: string;
    enabled: boolean;
    integration_id: string | null;
    event: ChoiceEvent;
    list_ids: string[];
    operation: string | null;
    target: Json<Record<string, unknown>>;
    secrets_sealed: string | null;
    failing_since: Date | null;
    disabled_reason: string | null;
    created_at: CreatedAt;
    updated_at: Date;
    deleted_at: Date | null;
  };
  deliveries: {
    site_id: string;
    id: string;
    action_id: string;
    customer_id: string;
    choice_id: string;
    event: ChoiceEvent;
    status: DeliveryStatus;
    attempt_count: number;
    try_count: number;
    next_attempt_at: Date | null;
    last_error: string | null;
    created_at: CreatedAt;
    finished_at: Date | null;
  };
  delivery_attempts: {
    site_id: string;
    delivery_id: string;
    number: number;
    started_at: Date;
    duration_ms: number;
    outcome: Attempt['outcome'];
    request: Json<Attempt['request']>;
    response: Json<NonNullable<Attempt['response']>> | null;
    error: string | null;
  };
  audit_log: {
    site_id: string;
    id: string;
    actor: string;
    event: string;
    subject: string;
    details: Json<object>;
    created_at: CreatedAt;
  };
  imports: {
    site_id: string;
    id: string;
    status: string;
    file_name: string;
    counts: Json<object>;
    created_by: string;
    created_at: CreatedAt;
    finished_at: Date | null;
  };
  api_keys: {
    site_id: string;
    id: string;
    name: string;
    key_hash: Buffer;
    created_by: string;
    created_at: CreatedAt;
    last_used_at: Date | null;
    revoked_at: Date | null;
  };
}

/** All that a transaction of one site may name. */
export type SiteTables = GlobalTables & TenantTables;
