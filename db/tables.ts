import type { ColumnType, Generated, JSONColumnType } from 'kysely';
import type { Browser, System } from '#contract/account-data.ts';
import type { StoredLinkKind } from '#contract/account-links.ts';
import type { ActionType, ToolActionType } from '#contract/actions.ts';
import type { AuditEvent } from '#contract/audit-log.ts';
import type {
  BulkChangeKind,
  BulkUndo,
  UndoCounts,
  UndoReason,
  UndoStatus,
  UndoSubject,
  UndoVerdict,
} from '#contract/bulk-changes.ts';
import type {
  ChoiceEvent,
  ChoiceSource,
  Evidence,
  LeaveReason,
  OptOutKind,
  Requested,
  Suppression,
} from '#contract/choices.ts';
import type {
  Comparison,
  ComparisonKind,
  ComparisonStatus,
  Difference,
  DifferenceKind,
  DifferenceStatus,
} from '#contract/comparisons.ts';
import type { ReportReason } from '#contract/abuse-reports.ts';
import type { ComplaintLevel, ComplaintResult } from '#contract/complaints.ts';
import type { CustomerFilter } from '#contract/customers.ts';
import type { Attempt, DeliveryOutcome, DeliveryStatus, FailureCause } from '#contract/deliveries.ts';
import type { EvidenceFinding } from '#contract/evidence-check.ts';
import type { DomainFindings } from '#contract/domains.ts';
import type { Language } from '#contract/fields.ts';
import type { ImageKind } from '#contract/images.ts';
import type { DateOrder } from '#contract/import-cells.ts';
import type {
  ImportCounts,
  ImportMapping,
  ImportOptions,
  ImportResource,
  ImportSource,
  ImportStatus,
  ImportVerdict,
} from '#contract/imports.ts';
import type { InboundKind, InboundOutcome } from '#contract/inbound.ts';
import type { IntegrationStatus } from '#contract/integrations.ts';
import type { LegalBasis, List } from '#contract/lists.ts';
import type { Operator } from '#contract/operator.ts';
import type { DraftContent, PageChange, PageContent } from '#contract/page-drafts.ts';
import type { PendingKind } from '#contract/pending-changes.ts';
import type { PageAttrs } from '#contract/preference-pages.ts';
import type { PageCheck } from '#contract/page-checks.ts';
import type { KeyScope, Role } from '#contract/roles.ts';
import type { SurveySubmission } from '#contract/survey.ts';

type Json<T extends object | null> = JSONColumnType<T>;
type Count = ColumnType<string, number, never>;
type Counter = ColumnType<string, number, number>;
type CreatedAt = ColumnType<Date, Date, never>;

/** Where an import continues to read a tool. */
interface ReadProgress {
  /** Which of its resources. */
  resource: number;
  cursor: string | null;
  tries: number;
  troubleSince: string | null;
}

/** All records made before a moment, as one hash: rewriting one of them changes it. */
interface EvidenceAnchor {
  /** Records with smaller ids. */
  before: string;
  records: number;
  /** SHA-256 over their hashes, in the order of customers and sequences, in hex. */
  digest: string;
}

/** What a choice replaced of the customer's state: only what it changed. */
export interface Replaced {
  /** `subscribed` null: never chosen. */
  lists: { list_id: string; subscribed: boolean | null; changed_at: string | null }[];
  everything?: {
    global_unsubscribe: boolean;
    paused_until: string | null;
    wrong_recipient_at: string | null;
  };
  /** The address, which the record before has, sealed. */
  email?: true;
}

/** A bulk change as it was when somebody asked to undo it. */
export interface BulkChangeRecord {
  kind: BulkChangeKind;
  /** What the save ids of its choices begin with. */
  prefix: string;
  from_id: string;
  to_id: string;
  /** Of the file of an import. */
  name: string | null;
  integration_id: string | null;
  /** `user:` or `api_key:` and the id. */
  actor: string | null;
  customers: number;
  started_at: string;
  ended_at: string;
}

/** What an undo is about to restore of a customer, and what it leaves. */
export interface StoredUndoPlan {
  /** The choices that it undoes. */
  sequences: number[];
  restored: { list_id: string | null; about: UndoSubject; subscribed: boolean | null }[];
  kept: { list_id: string | null; about: UndoSubject; reason: UndoReason }[];
}

/** What a row of an import says of a person. */
interface ImportedPreferences {
  /** `of`: the list, or the tool's resource. Times are as the tool tells them. */
  lists: { of: string; subscribed: boolean; since: string | null }[];
  leaves: { since: string | null } | null;
  /** unclear: the tool says nothing that counts. paused: an export of ours says so. */
  note?: 'unclear' | 'paused';
  /** When, and from where, the person confirmed the lists that they are subscribed to. */
  proof?: { at: string; ip: string | null };
  /** Of a file: what goes into the evidence beside the choice. */
  file?: ImportedRow;
  /** What the owner should know of how the row was read. */
  remark?: string;
}

interface ImportedRow {
  rows: number[];
  suppression?: Suppression;
  consent_at?: string;
  suppressed_at?: string;
  consent_ip?: string;
  source?: string;
  reason?: string;
}

/** A column of an import: how many rows have a value, and the numbers of the rows with its first different ones. */
export interface SampledColumn {
  filled: number;
  rows: number[];
  /** The order that its unambiguous dates have in common. */
  date_order: DateOrder | null;
}

/** What a mailed link of an account brings about, once it is confirmed. */
export interface AccountLinkDetails {
  /** The new address, the one that comes back, the one of the Google account, or the mailbox that is asked. */
  email: string;
  /** Of the Google account that is to be linked. */
  issuer?: string;
  subject?: string;
  /** Whose signed heads the mailbox may agree to get. */
  site_id?: string;
  /** Whether the address that may come back was ever proven; missing in links from before this was known. */
  was_proven?: boolean;
}

/** Whether a mailbox gets evidence by email, by the key of its email. */
export type RecordMailboxes = Readonly<Record<string, boolean>>;

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
    /** Whose subject it is: the issuer that vouched for it. */
    google_issuer: Generated<string | null>;
    google_email: Generated<string | null>;
    first_name: string;
    last_name: string;
    avatar: string | null;
    organization_id: string | null;
    permissions: Generated<string[]>;
    plan_groups: Generated<string[]>;
    attrs: Json<Record<string, unknown>>;
    created_at: CreatedAt;
    /** Since when the mailbox is known to be theirs; null: they only typed the address. */
    email_proven_at: Generated<Date | null>;
  };
  password_links: {
    token_hash: Buffer;
    user_id: string;
    created_at: CreatedAt;
    expires_at: Date;
    used_at: Date | null;
  };
  account_links: {
    token_hash: Buffer;
    user_id: string;
    kind: StoredLinkKind;
    details: Json<AccountLinkDetails>;
    created_at: CreatedAt;
    expires_at: Date;
    used_at: Date | null;
  };
  /** One for each log-in: a family of refresh tokens, each replacing the one before. */
  sessions: {
    id: string;
    user_id: string;
    created_at: CreatedAt;
    expires_at: Date;
    revoked_at: Date | null;
    browser: Browser | null;
    system: System | null;
    /** When its owner last showed that they are still there; null: not since the log-in. */
    authenticated_at: Generated<Date | null>;
    /** Begun without the second factor that an organization requires. */
    set_up_required: Generated<boolean>;
  };
  /** The authenticator app of an account. */
  totp_factors: {
    user_id: string;
    secret_sealed: string;
    /** Of the last code that counted: none of it or before it counts again. */
    last_step: Counter;
    created_at: CreatedAt;
    last_used_at: Generated<Date | null>;
  };
  passkeys: {
    id: string;
    user_id: string;
    credential_id: string;
    public_key: Buffer;
    counter: Counter;
    transports: string[];
    /** Its owner's other devices have it, too. */
    is_synced: boolean;
    name: string;
    created_at: CreatedAt;
    last_used_at: Generated<Date | null>;
    /** Its counter went backwards. */
    blocked_at: Generated<Date | null>;
  };
  /** All of an account share a salt, so that one look finds a code. */
  recovery_codes: {
    user_id: string;
    code_hash: Buffer;
    salt: Buffer;
    created_at: CreatedAt;
    used_at: Generated<Date | null>;
  };
  used_tickets: { id: string; expires_at: Date };
  /** Pictures of people, as the product itself encoded them: WebP. */
  avatars: { user_id: string; id: string; bytes: Buffer; created_at: CreatedAt };
  refresh_tokens: { token_hash: Buffer; session_id: string; created_at: CreatedAt; used_at: Date | null };
  surveys: {
    id: string;
    user_id: string;
    version: SurveySubmission['version'];
    data: Json<SurveySubmission['data']>;
    created_at: CreatedAt;
  };
  organizations: {
    id: string;
    name: string;
    name_key: string;
    created_by: string;
    subscription: string | null;
    valid_until: Date | null;
    created_at: CreatedAt;
    /** Its last member deleted their account; its sites are being deleted. */
    deletion_requested_at: Generated<Date | null>;
    /** Of every member, at their next log-in. */
    requires_second_factor: Generated<boolean>;
  };
  members: { organization_id: string; user_id: string; role: Role; created_at: CreatedAt };
  /** Gone once it is accepted or withdrawn. */
  invitations: {
    id: string;
    organization_id: string;
    email: string;
    email_key: string;
    role: Role;
    token_hash: Buffer;
    invited_by: string;
    sent_at: Date;
    expires_at: Date;
    created_at: CreatedAt;
  };
  sites: {
    id: string;
    organization_id: string;
    name: string;
    /** How long a personal link proves its customer. */
    link_lifetime_days: Generated<number>;
    /** How long the content of deliveries that arrived is stored. */
    delivery_content_days: Generated<number>;
    /** Of emails to customers; empty: the page's name. */
    sender_name: Generated<string>;
    /** Empty: replies go to the sending address. */
    reply_to: Generated<string>;
    /** null: never said. */
    operator: ColumnType<Operator | null, string | undefined, string>;
    /** Nothing is sent: deliveries wait until the site goes live. */
    test_mode: Generated<boolean>;
    /** Keys of addresses, and domains as `@example.com`: what these customers choose is never sent. */
    test_emails: Generated<string[]>;
    /** Where signed heads of the evidence go: an email, or a URL; empty: nowhere. */
    evidence_anchor: Generated<string>;
    /** The email that has agreed to get them; it counts only while it is where they go. */
    evidence_anchor_agreed: Generated<string>;
    /** Which mailboxes agreed to get evidence by email; false: they stopped it. */
    record_mailboxes: ColumnType<RecordMailboxes, string | undefined, string>;
    /** Since when the operator of the service has its pages taken down, and why; null: they are served. */
    taken_down_at: Date | null;
    taken_down_reason: Generated<string>;
    created_at: CreatedAt;
  };
  /** What is served: subdomains, and own domains that are verified. */
  host_names: { host: string; site_id: string; kind: 'subdomain' | 'custom'; created_at: CreatedAt };
  /** Which organization has a host name, or had it last: a released one is kept from others for a while. */
  host_name_owners: { host: string; organization_id: string; owned_since: Date; released_at: Date | null };
  /** A site's own domain, from the wish on. */
  site_domains: {
    site_id: string;
    host: string;
    created_at: CreatedAt;
    verified_at: Date | null;
    /** The TXT value that proved it; accepted as long as it stands, whatever becomes of the key behind it. */
    proof: string | null;
    proof_missing_since: Date | null;
    warned_at: Date | null;
    lapsed_at: Date | null;
    checked_at: Date | null;
    next_check_at: Date;
    findings: Json<DomainFindings> | null;
  };
  /** What happens to a customer at a time, of every site. */
  customer_timers: {
    site_id: string;
    customer_id: string;
    kind: 'resume' | 'erase' | 'pending_end' | 'merge' | 'complaint';
    due_at: Date;
    created_at: CreatedAt;
  };
  /** What is done periodically with each connected tool, of every site. */
  scheduled_tasks: {
    site_id: string;
    integration_id: string;
    kind: ScheduledTaskKind;
    /** While a process is at it: when its turn ends, should it not come back. */
    due_at: Date;
    lease: string | null;
  };
  /** Rate limits of tool accounts, as GCRA keeps them; also reservations of later slots. */
  tool_rate_limits: {
    account: string;
    /** When everything granted so far is used up at an even pace. */
    next_slot_at: Date;
    /** How many times slower than the tool allows, since it said that it was too much. */
    slowdown: number;
  };
  /** Which sites have deliveries that are due, or will be. */
  sites_with_work: {
    site_id: string;
    /** A worker looks at the site by then. */
    due_at: Date;
    /** Until then no look moves `due_at` past it: saves rely on it without marking the site again. */
    hold_until: Date;
  };
  /** When the OAuth tokens of integrations are renewed. */
  token_renewals: {
    site_id: string;
    integration_id: string;
    /** null: never. */
    renew_at: Date | null;
    /** Of the process that renews them. */
    lease: string | null;
    /** Nobody else renews them before: the end of the lease or, without one, of the backoff after a failure. */
    locked_until: Date | null;
  };
  /** When each site's evidence is checked next, and how many of its chains were broken last time. */
  evidence_check_tasks: {
    site_id: string;
    /** While a process is at it: when its turn ends, should it not come back. */
    due_at: Date;
    lease: string | null;
    checked_at: Date | null;
    broken: number;
  };
  /** The public keys that heads and packs were ever signed with: older ones stay. Only those with an endorsement count. */
  evidence_keys: {
    /** The key's JWK thumbprint (RFC 7638). */
    kid: string;
    public_key: Buffer;
    created_at: CreatedAt;
  };
  /** A MAC with each key of SECRET_KEY: a key without one that holds was put there by someone else. */
  evidence_key_endorsements: {
    kid: string;
    mac: Buffer;
  };
  /** How far the content of each site's deliveries has been deleted. */
  retention_tasks: {
    site_id: string;
    /** While a process is at it: when its turn ends, should it not come back. */
    due_at: Date;
    lease: string | null;
    /** The last delivery that was looked at. */
    up_to_id: string | null;
    /** Of those that arrived late: when the last one did that was looked at. */
    late_up_to: Date | null;
  };
  /** What is known about the database as a whole: one row. */
  installation: {
    id: number;
    /** Of the newest key that the database was used with. */
    key_fingerprint: string;
    /** A restored copy waits until somebody says that it may work. */
    workers_paused_at: Date | null;
    restored_at: Date | null;
    /** Of the backup that it was restored from. */
    backup_taken_at: Date | null;
    /** Public keys that were stored before they were endorsed. */
    keys_from_before: string[];
  };
  /** Emails of an installation without a mail server, for its outbox. */
  outbox_emails: {
    id: string;
    recipient: string;
    sender: string;
    subject: string;
    html: string;
    plain: string;
    attachments: Json<{ name: string; type: string; content: string }[]>;
    created_at: CreatedAt;
  };
}

/**
 * poll: read what people did in the tool. link_field_sync: write personal links into a field of the tool. reconciliation:
 * compare all customers with the tool. repair: apply what that found. late_notices: report what is not confirmed in time.
 */
export type ScheduledTaskKind =
  | 'poll'
  | 'link_field_sync'
  | 'reconciliation'
  | 'repair'
  | 'late_notices'
  | 'webhook';

/** For how many customers an undo runs an action, and for how many it leaves a tool as it is. */
export type ToldByUndo = Pick<BulkUndo['tells'][number], 'customers' | 'stays' | 'unknown' | 'unsent'>;

/** What a delivery asked a tool for, and whether that made a difference there. */
export interface ToolEffect {
  type: ToolActionType;
  /** The id in the tool; null where the type has none. */
  target: string | null;
  /** As of the change: in the list, with the tag, blocked. */
  on: boolean;
  /** The tool had it so before; null: it didn't say. */
  already: boolean | null;
}

/** A failed attempt is kept as its cause. */
export type KeptOutcome =
  | FailureCause
  | Exclude<DeliveryOutcome, 'on_its_way' | 'retrying' | 'received' | 'failed'>;

/** Tables of a site: every row and every key carries `site_id`, and row-level security is forced. */
export interface TenantTables {
  lists: {
    site_id: string;
    id: string;
    name: string;
    description: string;
    show_order: number;
    default_state: boolean;
    double_opt_in: Generated<boolean>;
    legal_basis: Generated<LegalBasis | null>;
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
    embed_origins: Generated<string[]>;
    attrs: Json<PageAttrs>;
    version: number;
    created_at: CreatedAt;
    updated_at: Date;
  };
  /** What an owner has typed and not published; of a page there is one at most. */
  page_drafts: {
    site_id: string;
    page_id: string;
    content: Json<DraftContent>;
    /** The version of the page that it was begun with. */
    base_version: number;
    /** Grows with each save. */
    revision: number;
    saved_by: string;
    created_at: CreatedAt;
    saved_at: Date;
    /** As the editor called itself that saved it last. */
    editor_id: string | null;
  };
  /** What a page said in each of its last versions. */
  page_versions: {
    site_id: string;
    page_id: string;
    version: number;
    content: Json<PageContent>;
    /** Against the version before. */
    changes: Json<PageChange[]>;
    /** null: from before there was a history. */
    saved_by: string | null;
    saved_at: Date;
  };
  /** Logos and favicons, as the product itself encoded them: WebP and PNG. */
  images: {
    site_id: string;
    id: string;
    sha256: Buffer;
    kind: ImageKind;
    width: number;
    height: number;
    bytes: Buffer;
    /** When it was last uploaded. */
    created_at: Date;
  };
  page_lists: { site_id: string; page_id: string; list_id: string; position: number };
  customers: {
    site_id: string;
    id: string;
    email: string | null;
    email_key: string | null;
    global_unsubscribe: boolean;
    /** Set with `global_unsubscribe` only: when the person comes back on their own. */
    paused_until: Date | null;
    /** Set with `global_unsubscribe` only: when the reader of this inbox said that they are not the customer. */
    wrong_recipient_at: Generated<Date | null>;
    /** Personal links of another one have been ended. */
    link_generation: Generated<number>;
    links_ended_at: Generated<Date | null>;
    sequence: number;
    /** The visit of a page on which the last choice was made; null where it was made otherwise. */
    visit_id: Generated<Buffer | null>;
    /** The first of the last choices that were all made on that visit. */
    visit_from: Generated<number | null>;
    evidence_hash: Buffer | null;
    /** Without it nobody can open who the customer's evidence is about; erasing a person erases it. */
    person_salt: Buffer | null;
    created_at: CreatedAt;
    updated_at: Date;
    erased_at: Date | null;
    /** Keyed hash of the address of an erased person who had left everything. */
    erased_key: Buffer | null;
    /** The customer who this one turned out to be; the row is kept for its evidence. */
    merged_into: Generated<string | null>;
  };
  /** Opt-outs of addresses that are no customer's; applied, and deleted, when the address becomes a customer's. */
  kept_opt_outs: {
    site_id: string;
    /** Keyed: it can be compared, not read. */
    address_hash: Buffer;
    /** `everything`, or the id of a list. */
    about: string;
    kind: OptOutKind;
    /** The tool that reported it; it may have been disconnected since. */
    integration_id: string | null;
    happened_at: Date;
    kept_at: Date;
  };
  /** Records of a tool that have opted out, as it is known: what is changed of them later is no new opt-out. */
  known_opt_outs: {
    site_id: string;
    integration_id: string;
    /** A hash of the record's id in the tool. */
    record_hash: Buffer;
    /** A keyed hash of the address that the record had: it can be compared, and not read. */
    address_hash: Buffer;
    /** When the tool was asked. */
    known_at: Date;
  };
  /** Addresses that customers had before: what a tool still reports about one is about its customer. */
  former_addresses: {
    site_id: string;
    /** Keyed: it can be compared, not read. */
    address_hash: Buffer;
    customer_id: string;
    moved_at: Date;
  };
  subscriptions: {
    site_id: string;
    customer_id: string;
    list_id: string;
    subscribed: boolean;
    changed_at: Date;
  };
  leave_reasons: {
    site_id: string;
    choice_id: string;
    customer_id: string;
    reason: LeaveReason;
    created_at: CreatedAt;
  };
  choices: {
    site_id: string;
    id: string;
    customer_id: string;
    sequence: number;
    save_id: string | null;
    /** Of the body that the save id came with, keyed with the person's salt. */
    save_hash: Buffer | null;
    source: ChoiceSource;
    authority: Evidence['authority'];
    events: ChoiceEvent[];
    lists: Json<Evidence['lists']>;
    global_unsubscribe: boolean;
    paused_until: Date | null;
    shown: Json<Evidence['shown']>;
    language: Language | null;
    person_hash: Buffer;
    person_sealed: string;
    ip: string | null;
    occurred_at: CreatedAt;
    previous_hash: Buffer | null;
    hash: Buffer;
    /** The sequence of the address change that this choice undoes. */
    undoes_sequence: number | null;
    /** How it was asked for, where it was confirmed by email. */
    requested: Json<Requested> | null;
    /** Of a test address, so that nothing of it is sent; null in all others. */
    is_test: true | null;
    /** What it replaced, of choices that are made for customers and may have to be undone; null in all others. */
    replaced: ColumnType<Replaced | null, string | null | undefined, never>;
    /** The visit of a page that it was made on; null where it was made otherwise, or by a form without script. */
    visit_id: Buffer | null;
  };
  /** What a customer asked for and has not confirmed by email yet: one of each kind. */
  pending_changes: {
    site_id: string;
    customer_id: string;
    kind: PendingKind;
    /** Of this request; the emailed link names it. */
    id: string;
    save_id: string | null;
    /** The customer's last choice when it was asked for. */
    sequence: number;
    /** The change, and what it was requested with: sealed, because it may hold an address. */
    change_sealed: string;
    requested: Json<Requested>;
    expires_at: Date;
    /** Of kind `subscribe`: the lists that are still wanted. */
    list_ids: Generated<string[] | null>;
  };
  /** Sets of filters for customers that the site's team has named. */
  customer_views: {
    site_id: string;
    id: string;
    name: string;
    /** Names that differ only in case are the same. */
    name_key: string;
    /** Never a search, which may be an address. */
    filter: Json<CustomerFilter>;
    created_at: CreatedAt;
    updated_at: Date;
  };
  /** What customers complained about, and what was answered. */
  complaints: {
    site_id: string;
    id: string;
    customer_id: string;
    /** The page it came from; it sets the design of the emails about it. */
    page_id: string | null;
    /** How the customer had come; null: from before this was recorded. */
    level: ComplaintLevel | null;
    language: Language;
    /** Sealed; null once the customer is erased. */
    text_sealed: string | null;
    answer_sealed: string | null;
    received_at: CreatedAt;
    /** When the mail server accepted the email that confirms the receipt. */
    acknowledged_at: Date | null;
    /** By when the customer has to know the outcome. */
    due_at: Date;
    /** When the owners were told of it, and reminded of its due date. */
    notified_at: Date | null;
    reminded_at: Date | null;
    closed_at: Date | null;
    outcome: ComplaintResult | null;
  };
  /** Visitors report the site's pages to the operator of the service; no route shows these reports to owners. */
  abuse_reports: {
    site_id: string;
    id: string;
    host: string;
    path: string;
    reason: ReportReason;
    /** The visitor's words, address and language, sealed. */
    details_sealed: string;
    received_at: CreatedAt;
    closed_at: Date | null;
  };
  /** Whose mailbox refused our last email, and what its mail server said. */
  email_bounces: {
    site_id: string;
    customer_id: string;
    /** Of the address that was refused. */
    email_key: string;
    status: number;
    reply: string;
    bounced_at: Date;
  };
  /** What each check of the site's evidence found. */
  evidence_checks: {
    site_id: string;
    id: string;
    records: Count;
    chains: Count;
    /** How many chains do not hold, and the first bad record of the first of them. */
    broken: number;
    findings: Json<EvidenceFinding[]>;
    /** What the next check has to find again. */
    anchor: Json<EvidenceAnchor>;
    /** Keyed hash of the anchor. */
    seal: Buffer;
    checked_at: CreatedAt;
  };
  /** Each night's records under one signature. */
  evidence_heads: {
    site_id: string;
    id: string;
    number: number;
    /** It holds the records from the `up_to` of the head before it, to those with smaller ids than this. */
    up_to: string;
    records: number;
    /** Of each record, in the order of their ids: its id (16 bytes) and its hash (32). */
    leaves: Buffer;
    /** What was signed, exactly. */
    statement: string;
    kid: string;
    signature: Buffer;
    signed_at: CreatedAt;
  };
  /** Where a site's heads were last sent. */
  evidence_anchors: {
    site_id: string;
    target: string;
    /** The last head that arrived there. */
    number: number | null;
    arrived_at: Date | null;
    /** Why the last attempt failed. */
    error: string | null;
  };
  /** What pages showed, by the hash of its content: each version of a page, and the product's own words on it. */
  shown_texts: {
    site_id: string;
    hash: Buffer;
    /** null: what is not of one page. */
    page_id: string | null;
    version: number | null;
    /** Of words and emails. */
    language: Language | null;
    content: Json<Record<string, unknown>>;
    created_at: CreatedAt;
  };
  /** Who joined or left which list by which choice; figures are counted from it. */
  subscription_changes: { site_id: string; choice_id: string; list_id: string; joined: boolean };
  /** What screens show of everybody, kept by the transactions that change it. */
  counters: {
    site_id: string;
    /** UTC days since 1970, of the id of what is counted; 0: what stands now. */
    day: number;
    metric: 'customers' | 'subscribers' | 'choices' | 'sent' | 'joins' | 'leaves' | 'deliveries';
    /** All zeros where the metric is about the site. */
    list_id: string;
    /** One of several rows that are added up, so that transactions need not wait for each other. */
    slot: number;
    value: Counter;
  };
  integrations: {
    site_id: string;
    id: string;
    provider: string;
    name: string;
    credentials_sealed: string;
    status: IntegrationStatus;
    created_at: CreatedAt;
    updated_at: Date;
    account_name: string;
    status_reason: string | null;
    failing_since: Date | null;
    deleted_at: Date | null;
    webhook_secret_sealed: Generated<string>;
    poll_cursor: Generated<string | null>;
    poll_error: Generated<string | null>;
    consecutive_failures: Generated<number>;
    rests_until: Generated<Date | null>;
    /** When those responsible were last told of choices that it has not confirmed. */
    late_notice_at: Generated<Date | null>;
    connected_by: Generated<'credentials' | 'oauth'>;
    /** As its tool tells accounts apart; empty: connected before this was stored. */
    account_id: Generated<string>;
    /** When our webhook was last seen in the tool; null: it isn't there, or we don't know. */
    webhook_registered_at: Generated<Date | null>;
    /** When we last looked for it, or tried to register it. */
    webhook_checked_at: Generated<Date | null>;
    /** When it last called, to the day. */
    webhook_called_at: Generated<Date | null>;
    /** Why we couldn't register it. */
    webhook_reason: Generated<string | null>;
  };
  /** What a tool sent to us, as it came. */
  inbound_requests: {
    site_id: string;
    id: string;
    integration_id: string;
    provider: string;
    state: 'waiting' | 'done' | 'failed';
    /** Gone once it is done. */
    sealed: string | null;
    received_at: CreatedAt;
  };
  /** What became of each thing that a tool told. */
  inbound_events: {
    site_id: string;
    id: string;
    integration_id: string;
    /** Of the event's id in the tool: the same event is worked off once. */
    event_key: Buffer;
    kind: InboundKind | null;
    occurred_at: CreatedAt;
    received_at: CreatedAt;
    customer_id: string | null;
    email_sealed: string | null;
    outcome: InboundOutcome;
    reason: string | null;
    choice_id: string | null;
  };
  /** The custom field of a tool that holds each customer's personal link; at most one for an integration. */
  link_fields: {
    site_id: string;
    id: string;
    integration_id: string;
    field_id: string;
    field_name: string;
    /** The last customer of the running full sync; null while none runs. */
    full_sync_cursor: string | null;
    /** When the next full sync begins. */
    full_sync_due_at: Date;
    /** The last choice that was processed. */
    choice_cursor: string | null;
    /** Why nothing can be synced at the moment, for the owner. */
    trouble: string | null;
    created_at: CreatedAt;
  };
  /** Which link a customer has in that field, or why none. */
  synced_links: {
    site_id: string;
    link_field_id: string;
    customer_id: string;
    /** unknown: the tool has no such person. */
    state: 'synced' | 'unknown' | 'refused';
    /** Of the customer and the address it was written for. */
    token: Buffer;
    /** Of the key that signed the challenge. */
    key_id: Buffer;
    /** Of the challenge, as in it: the day, and the customer's link generation. */
    issued_on: Generated<number>;
    link_generation: Generated<number>;
    /** The customer's when it was tried. */
    sequence: number;
    tries: number;
    error: string | null;
    tried_at: Date;
    /** null: not before something changes. */
    retry_at: Date | null;
  };
  /** A pass over all customers in a tool, or (mending) over discrepancies that are repaired. */
  reconciliations: {
    site_id: string;
    id: string;
    integration_id: string;
    kind: ComparisonKind;
    status: ComparisonStatus;
    /** Of a repair: which discrepancies. */
    filter: Json<{ kind?: DifferenceKind; ids?: string[] }> | null;
    /** The last customer, or discrepancy, that was processed. */
    cursor: string | null;
    counts: Json<Comparison['counts']>;
    error: string | null;
    /** Since when every attempt failed. */
    failing_since: Date | null;
    started_at: CreatedAt;
    finished_at: Date | null;
    started_by: string | null;
  };
  /** Where a tool differs from what a customer chose. Holds no address, so an erasure leaves nothing behind. */
  discrepancies: {
    site_id: string;
    id: string;
    reconciliation_id: string;
    integration_id: string;
    customer_id: string;
    action_id: string | null;
    /** What in the tool it is about: a customer has at most one open discrepancy for each target. */
    target_key: string;
    kind: DifferenceKind;
    change: Json<Difference['change']>;
    ours: Json<Difference['ours']>;
    theirs: Json<Difference['theirs']>;
    status: DifferenceStatus;
    error: string | null;
    created_at: CreatedAt;
    resolved_at: Date | null;
  };
  /** Which customers are being changed in which tool: one holder at a time. */
  customer_leases: {
    site_id: string;
    integration_id: string;
    customer_id: string;
    /** A run of a delivery, or another task with this customer. */
    holder_id: string;
    /** A dead worker's lease ends then. */
    expires_at: Date;
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
    /** Since when its tool is known not to have the target any more. */
    target_gone_at: Generated<Date | null>;
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
    /** When it is due; while a process has it, when its lease ends. null: nothing is to be done any more. */
    next_attempt_at: Date | null;
    /** Of one that arrived: how often the tool was asked since whether it shows the change. */
    confirmation_reads: Generated<number>;
    last_error: string | null;
    created_at: CreatedAt;
    finished_at: Date | null;
    confirmed_at: Date | null;
    /** What came of it so far; null before the first attempt, and of those from before it was kept. */
    outcome: KeptOutcome | null;
    /** Recorded where an undo may ask for it; null otherwise, and before the first write. */
    tool_effect: Json<ToolEffect> | null;
  };
  delivery_attempts: {
    site_id: string;
    delivery_id: string;
    number: number;
    started_at: Date;
    duration_ms: number;
    outcome: Attempt['outcome'];
    /** With what it asked a tool for, where it did. */
    request: Json<Attempt['request'] & Partial<Pick<Attempt, 'changes'>>>;
    response: Json<NonNullable<Attempt['response']>> | null;
    error: string | null;
    content_deleted_at: Date | null;
  };
  audit_log: {
    site_id: string;
    id: string;
    /** `user:` or `api_key:` and the id. */
    actor: string;
    event: AuditEvent;
    /** The id of what it happened to; '' where it was many. */
    subject: string;
    details: Json<{
      name?: string;
      count?: number;
      role?: Role;
      previous_role?: Role;
      checks?: PageCheck[];
      reason?: string;
    }>;
    created_at: CreatedAt;
  };
  imports: {
    site_id: string;
    id: string;
    source: ImportSource;
    status: ImportStatus;
    file_name: string | null;
    integration_id: string | null;
    kind: 'lists' | 'tags' | null;
    resources: Json<ImportResource[]> | null;
    columns: string[] | null;
    column_samples: Json<SampledColumn[]> | null;
    /** SHA-256 of the uploaded file. */
    file_hash: Generated<Buffer | null>;
    mapping: Json<ImportMapping> | null;
    options: Json<ImportOptions>;
    counts: Json<ImportCounts>;
    /** About how many customers each tool is sent something; `endpoints`: all others. */
    tells: ColumnType<Record<string, number>, string | undefined, string>;
    /** Where reading the tool continues. */
    read_progress: Json<ReadProgress> | null;
    /** The number of the last row that the phase in hand is through with. */
    position: number;
    /** Grows with each step; a job of another round is out of date. */
    round: number;
    error: string | null;
    created_by: string;
    created_at: CreatedAt;
    updated_at: Date;
    ended_at: Date | null;
  };
  /** Personal data: they go 30 days after the import ended. */
  import_rows: {
    site_id: string;
    import_id: string;
    number: number;
    email: string | null;
    /** null until the import is checked, and where there is no address. */
    email_key: string | null;
    fields: string[] | null;
    preferences: Json<ImportedPreferences> | null;
    /** Why the row cannot be used, found when it was read. */
    problem: string | null;
    verdict: ImportVerdict | null;
    reason: string | null;
    customer_id: string | null;
    choice_id: string | null;
    applied_at: Date | null;
  };
  /** The undoing of a bulk change, and its preview; has the id of the bulk change. */
  bulk_undos: {
    site_id: string;
    id: string;
    about: Json<BulkChangeRecord>;
    status: UndoStatus;
    counts: Json<UndoCounts>;
    /** By action. */
    told: Json<Record<string, ToldByUndo>>;
    /** The last choice, or customer, that the phase in hand is through with. */
    cursor: string | null;
    /** Grows with each step; a job of another round is out of date. */
    round: number;
    /** `user:` or `api_key:` and the id; null while it is a preview. */
    started_by: string | null;
    created_at: CreatedAt;
    updated_at: Date;
    started_at: Date | null;
    ended_at: Date | null;
  };
  bulk_undo_customers: {
    site_id: string;
    undo_id: string;
    customer_id: string;
    verdict: UndoVerdict;
    plan: Json<StoredUndoPlan>;
    /** The bulk change created the customer, and nothing else ever concerned them. */
    is_new: boolean;
    choice_id: string | null;
    applied_at: Date | null;
    deleted_at: Date | null;
  };
  api_keys: {
    site_id: string;
    id: string;
    name: string;
    key_hash: Buffer;
    created_by: string;
    /** As they were called when they made it: the key outlives their account. */
    created_by_name: string | null;
    created_by_email: string | null;
    created_at: CreatedAt;
    /** When a call with it last changed something, to the hour. */
    last_changed_at: Date | null;
    /** When a call with it was last made, to the hour: written by a task, because reading writes nothing. */
    last_used_at: Date | null;
    revoked_at: Date | null;
    scopes: KeyScope[];
    expires_at: Date | null;
  };
}

/** All that a transaction of one site may name. */
export type SiteTables = GlobalTables & TenantTables;

/** Append-only: what was recorded is never changed, whatever the server's code does. */
export const APPEND_ONLY_TABLES: readonly (
  | keyof TenantTables
  | 'evidence_keys'
  | 'evidence_key_endorsements'
)[] = [
  'choices',
  'audit_log',
  'evidence_checks',
  'evidence_heads',
  'evidence_keys',
  'evidence_key_endorsements',
  'shown_texts',
];

/** Erased, never deleted: their evidence would go with them. */
export const NEVER_DELETED_TABLES: readonly (keyof TenantTables)[] = ['customers'];
