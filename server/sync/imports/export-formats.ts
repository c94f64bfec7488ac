import type { EvidenceColumn, ImportMapping, RecognizedExport } from '#contract/imports.ts';

type Part = RecognizedExport['part'];

/** What a tool's exports look like, and what their columns mean. */
interface ExportFormat {
  tool: string;
  /** Is the header documented by the tool's maker, or published in code? Otherwise we know it only from samples. */
  isCertain: boolean;
  /** Columns that it has, in the order of the header where `isExact`. */
  header: readonly string[];
  /** starts: the header begins with them. exact: there are no others. Otherwise they may be anywhere. */
  order?: 'starts' | 'exact';
  fileName?: RegExp;
  part?:
    | Part
    | ((file: { columns: ReadonlySet<string>; name: string }) => { part: Part; isCertain: boolean });
  email?: string;
  /** Of columns whose cells say who is subscribed. */
  status?: string;
  /** The column in which "yes" means unsubscribed from all. */
  all?: string;
  /** Columns that say that somebody left, that emails bounced, or that spam was reported; most say when. */
  suppressions?: NonNullable<ImportMapping['suppressions']>;
  /** Of everyone whom no column says otherwise about. */
  everyone?: 'subscribed';
  /** "yes" in any other column means unsubscribed from what it names. */
  isOfLeaving?: true;
  evidence?: Partial<Record<EvidenceColumn, string>>;
}

const MAILCHIMP_MIDDLE = ['MEMBER_RATING', 'OPTIN_TIME', 'OPTIN_IP', 'CONFIRM_TIME', 'CONFIRM_IP'];

/**
 * Mailchimp writes a file for each state, and no column says which: the last columns do, or the file's name. The header of
 * contacts who never subscribed isn't documented, so a file of subscribed contacts is certain only by its name.
 */
function mailchimpPart({ columns, name }: { columns: ReadonlySet<string>; name: string }) {
  const [, named] = /^(subscribed|unsubscribed|cleaned|nonsubscribed)_/i.exec(name) ?? [];
  const byName = named?.toLowerCase() as
    | 'subscribed'
    | 'unsubscribed'
    | 'cleaned'
    | 'nonsubscribed'
    | undefined;
  const byTail = columns.has('UNSUB_TIME')
    ? 'unsubscribed'
    : columns.has('CLEAN_TIME')
      ? 'cleaned'
      : undefined;
  if (byTail !== undefined)
    return { part: byTail, isCertain: byName === undefined || byName === byTail } as const;
  if (byName === 'nonsubscribed') return { part: byName, isCertain: true } as const;
  if (columns.has('LAST_CHANGED') && byName === 'subscribed')
    return { part: byName, isCertain: true } as const;
  return {
    part: columns.has('LAST_CHANGED') && byName === undefined ? 'subscribed' : 'contacts',
    isCertain: false,
  } as const;
}

/** The column that we add to the rows of Mailchimp's ZIP: which of its files they are in. */
export const STATUS_COLUMN = 'Status in Mailchimp';

const MAILCHIMP: ExportFormat = {
  tool: 'Mailchimp',
  isCertain: true,
  header: [...MAILCHIMP_MIDDLE, 'LEID', 'EUID'],
  part: mailchimpPart,
  evidence: {
    consent_at: 'OPTIN_TIME',
    consent_ip: 'OPTIN_IP',
    confirmed_at: 'CONFIRM_TIME',
    confirmed_ip: 'CONFIRM_IP',
    suppression_reason: 'UNSUB_REASON',
  },
  suppressions: [
    { column: 'UNSUB_TIME', state: 'unsubscribed' },
    { column: 'CLEAN_TIME', state: 'bounced' },
  ],
};

/** The first that fits counts. */
const FORMATS: readonly ExportFormat[] = [
  {
    ...MAILCHIMP,
    header: [...MAILCHIMP.header, STATUS_COLUMN],
    fileName: /\.zip$/i,
    part: 'contacts',
    all: STATUS_COLUMN,
    everyone: 'subscribed',
  },
  MAILCHIMP,
  {
    tool: 'listmonk',
    isCertain: true,
    header: ['uuid', 'email', 'name', 'attributes', 'status', 'created_at', 'updated_at'],
    order: 'exact',
    email: 'email',
    // enabled, disabled or blocklisted, for all lists: nobody opted in to anything by it.
    all: 'status',
  },
  {
    tool: 'Ghost',
    isCertain: true,
    header: [
      ...['id', 'email', 'name', 'note', 'subscribed_to_emails', 'complimentary_plan', 'stripe_customer_id'],
      ...['created_at', 'deleted_at', 'labels'],
    ],
    order: 'starts',
    email: 'email',
    status: 'subscribed_to_emails',
  },
  {
    tool: 'Substack',
    isCertain: true,
    header: ['email', 'active_subscription', 'expiry', 'email_disabled', 'prefer_digests', 'created_at'],
    order: 'exact',
    email: 'email',
    all: 'email_disabled',
  },
  {
    tool: 'Substack',
    isCertain: false,
    header: [
      ...['email', 'active_subscription', 'expiry', 'plan', 'email_disabled', 'created_at'],
      'first_payment_at',
    ],
    order: 'exact',
    email: 'email',
    all: 'email_disabled',
  },
  {
    tool: 'beehiiv',
    isCertain: true,
    header: [
      ...['email', 'First Name', 'Last Name', 'status', 'tier', 'created_at', 'stripe_customer_id'],
      'unsubscribed_at',
    ],
    email: 'email',
    status: 'status',
    suppressions: [{ column: 'unsubscribed_at', state: 'unsubscribed' }],
  },
  {
    tool: 'Mautic',
    isCertain: true,
    header: ['id', 'firstname', 'lastname', 'email'],
    fileName: /^contacts_export_\d{4}(?:_\d{2}){5}\b/,
    email: 'email',
  },
  {
    tool: 'Brevo',
    isCertain: true,
    header: ['EMAIL', 'ADDED_TIME', 'MODIFIED_TIME'],
    email: 'EMAIL',
    all: 'EMAIL_BLACKLISTED',
  },
  {
    tool: 'Klaviyo',
    isCertain: false,
    header: ['Email', 'Klaviyo ID', 'Email Marketing Consent'],
    email: 'Email',
    status: 'Email Marketing Consent',
    evidence: {
      consent_at: 'Email Marketing Consent Timestamp',
      consent_ip: 'IP Address',
      source: 'Source',
      suppression_reason: 'Email Suppressions',
    },
  },
  {
    // Its unsubscribes and bounces: HubSpot documents these columns, but neither their order nor that of the email.
    tool: 'HubSpot',
    isCertain: true,
    header: ['Portal Bounce', 'Portal Unsubscribe', 'Portal Spam Report', 'Global Bounce'],
    part: 'suppressed',
    all: 'Portal Unsubscribe',
    suppressions: [
      { column: 'Portal Bounce', state: 'bounced' },
      { column: 'Global Bounce', state: 'bounced' },
      { column: 'Portal Spam Report', state: 'complained' },
    ],
    isOfLeaving: true,
  },
  {
    tool: 'HubSpot',
    isCertain: false,
    header: ['Record ID', 'First Name', 'Last Name', 'Email'],
    order: 'starts',
    email: 'Email',
    all: 'Unsubscribed from all email',
  },
  {
    tool: 'SendGrid',
    isCertain: false,
    header: ['EMAIL', 'FIRST_NAME', 'LAST_NAME', 'ALTERNATE_EMAILS', 'UNIQUE_NAME', 'CONTACT_ID'],
    email: 'EMAIL',
  },
  {
    tool: 'SendGrid',
    isCertain: false,
    header: ['status', 'reason', 'email', 'created'],
    order: 'exact',
    // Its blocks have the same header, and block nobody.
    fileName: /bounce/i,
    part: 'bounced',
    email: 'email',
    suppressions: [{ column: 'created', state: 'bounced' }],
    evidence: { suppression_reason: 'reason' },
  },
  {
    tool: 'SendGrid',
    isCertain: false,
    header: ['ip', 'email', 'created'],
    order: 'exact',
    part: 'complained',
    email: 'email',
    suppressions: [{ column: 'created', state: 'complained' }],
  },
  {
    // Of its global unsubscribes only the file's name and the first column are known.
    tool: 'SendGrid',
    isCertain: false,
    header: ['email'],
    order: 'starts',
    fileName: /^suppression_unsubscribes\b/i,
    part: 'unsubscribed',
    email: 'email',
    suppressions: [{ column: 'created', state: 'unsubscribed' }],
  },
  {
    tool: 'Salesforce',
    isCertain: false,
    header: ['Id', 'LastName', 'Email', 'HasOptedOutOfEmail'],
    email: 'Email',
    all: 'HasOptedOutOfEmail',
    suppressions: [{ column: 'EmailBouncedDate', state: 'bounced' }],
  },
  ...['Contact ID', 'Lead ID'].map((key) => ({
    // A report has labels, where the API has names.
    tool: 'Salesforce',
    isCertain: false,
    header: [key, 'Email', 'Email Opt Out'],
    email: 'Email',
    all: 'Email Opt Out',
  })),
  {
    tool: 'Kit',
    isCertain: false,
    header: ['first_name', 'email', 'created_at', 'status'],
    order: 'exact',
    email: 'email',
    status: 'status',
  },
  {
    tool: 'Kit',
    isCertain: false,
    header: ['first_name', 'email_address', 'state', 'created_at', 'tags'],
    order: 'exact',
    email: 'email_address',
    status: 'state',
  },
  {
    tool: 'ActiveCampaign',
    isCertain: false,
    header: ['Email', 'First Name', 'Last Name', 'Phone', 'Tags', 'Date Created', 'IP', 'Status'],
    order: 'exact',
    email: 'Email',
    status: 'Status',
  },
];

function fits({ header, order, fileName }: ExportFormat, columns: readonly string[], name: string): boolean {
  if (fileName !== undefined && !fileName.test(name)) return false;
  if (order === undefined) return header.every((column) => columns.includes(column));
  if (order === 'exact' && columns.length !== header.length) return false;
  return header.every((column, index) => columns[index] === column);
}

/** The status of all contacts in a file of those that Mailchimp's ZIP holds. null: we can't say. */
export function statusOfFile(columns: readonly string[], name: string): string | null {
  const found = recognizeExport(columns, name);
  return found?.tool === MAILCHIMP.tool && found.is_certain ? found.part : null;
}

/** What a format says of the columns of a file. */
export interface FormatMapping {
  email?: string;
  status?: string;
  all?: string;
  suppressions?: NonNullable<ImportMapping['suppressions']>;
  isOfLeaving?: true;
  evidence: Partial<Record<EvidenceColumn, string>>;
  everyone?: NonNullable<ImportMapping['everyone']>['state'];
}

const EVERYONE: Partial<Record<Part, FormatMapping['everyone']>> = {
  subscribed: 'subscribed',
  unsubscribed: 'unsubscribed',
  cleaned: 'bounced',
  bounced: 'bounced',
  complained: 'complained',
};

/**
 * Recognizes a tool's export by its header, which is the same in every account, and by its file name where the header
 * isn't enough.
 * @param name of the file
 * @returns null for a header that no tool we know writes
 */
export function recognizeExport(
  columns: readonly string[],
  name: string | null,
): (RecognizedExport & { mapping: FormatMapping }) | null {
  const fileName = name ?? '';
  const format = FORMATS.find((one) => fits(one, columns, fileName));
  if (format === undefined) return null;
  const there = new Set(columns);
  const { part = 'contacts' } = format;
  const found =
    typeof part === 'string'
      ? { part, isCertain: format.isCertain }
      : part({ columns: there, name: fileName });
  const ifThere = (column: string | undefined) =>
    column !== undefined && there.has(column) ? column : undefined;
  const evidence = Object.fromEntries(
    Object.entries(format.evidence ?? {}).filter(([, column]) => there.has(column)),
  ) as FormatMapping['evidence'];
  const [email, status, all] = [format.email, format.status, format.all].map(ifThere);
  const suppressions = (format.suppressions ?? []).filter(({ column }) => there.has(column));
  const state = format.everyone ?? EVERYONE[found.part];
  // Nobody is subscribed on a guess.
  const everyone = state === 'subscribed' && !found.isCertain ? undefined : state;
  return {
    tool: format.tool,
    part: found.part,
    is_certain: found.isCertain,
    columns: [
      ...[email, status, all, ...Object.values(evidence)].filter((one) => one !== undefined),
      ...suppressions.map(({ column }) => column),
    ],
    mapping: {
      ...(email === undefined ? {} : { email }),
      ...(status === undefined ? {} : { status }),
      ...(all === undefined ? {} : { all }),
      ...(suppressions.length === 0 ? {} : { suppressions }),
      ...(format.isOfLeaving === undefined ? {} : { isOfLeaving: format.isOfLeaving }),
      evidence,
      ...(everyone === undefined ? {} : { everyone }),
    },
  };
}
