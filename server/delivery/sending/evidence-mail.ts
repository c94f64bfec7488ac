import type { EvidenceMessage } from '#contract/action-tests.ts';
import type { ChoiceEvent, ChoiceSource, Evidence, LeaveReason } from '#contract/choices.ts';
import type { Attempt } from '#contract/deliveries.ts';
import type { LegalBasis } from '#contract/lists.ts';
import { mailDocument } from '#server/accounts/mails/mail-document.ts';
import { type Mail, oneLine } from '#server/platform/mail.ts';

const EVENTS: Record<ChoiceEvent, string> = {
  subscribed: 'subscribed to a list',
  unsubscribed: 'unsubscribed from a list',
  global_unsubscribed: 'unsubscribed from all',
  global_resubscribed: 'resubscribed',
  email_changed: 'changed their email',
  customer_created: 'was created',
};

const SOURCES: Record<ChoiceSource, string> = {
  page: 'on the preference page',
  state_link: 'with a link to the preference page',
  leave_link: 'with an unsubscribe link',
  wrong_recipient: "by the person who reads this inbox: they aren't this customer",
  confirm_link: 'on the preference page, confirmed by email',
  one_click: 'with one-click unsubscribe in their email app',
  owner: 'by a team member',
  api: 'through the API',
  import: 'through an import',
  tool: 'in an email tool',
  undo: 'by undoing the last change',
  pause_end: 'when a pause ended',
  merge: 'when two spellings of one email were merged',
  erasure: 'by asking for erasure',
};

const AUTHORITIES: Record<Evidence['authority'], string> = {
  open: 'only the email, typed or in a link',
  proven: 'an opened personal link',
  link: 'an unsubscribe link in an email',
  owner: 'a team member',
  api_key: 'an API key',
  system: 'Sayso',
};

const REASONS: Record<LeaveReason, string> = {
  too_many: 'too many emails',
  not_relevant: 'not relevant',
  never_signed_up: 'never signed up',
  no_longer_customer: 'no longer a customer',
  other: 'another reason',
};

const BASES: Record<LegalBasis, string> = {
  consent: 'consent',
  soft_opt_in: 'soft opt-in',
  contract: 'contract',
  legitimate_interest: 'legitimate interest',
};

function listText(list: Evidence['lists'][number]): string {
  const { legal_basis: basis, confirmed_at: at } = list;
  return [
    stateOfList(list),
    ...(basis === undefined ? [] : [`legal basis: ${BASES[basis]}`]),
    ...(at === undefined ? [] : [`confirmed elsewhere at ${at}, as imported`]),
  ].join(', ');
}

function stateOfList({ name, subscribed, previous, declined }: Evidence['lists'][number]): string {
  if (declined) return `${name}: declined (never chosen before)`;
  const before = previous === null ? 'never chosen before' : `${previous ? 'on' : 'off'} before`;
  return `${name}: ${subscribed ? 'on' : 'off'} (${before})`;
}

type SentRecord = Omit<Evidence, 'test'>;

function stateText({ global_unsubscribe: hasLeft, paused_until: until }: SentRecord): string {
  if (until !== null) return `receives nothing until ${until}`;
  return hasLeft ? 'receives nothing' : 'receives the lists that are on';
}

/** What a stranger stopped is nothing that the customer did. */
function whatHappened({ events, source }: SentRecord): string {
  if (source === 'wrong_recipient') return 'everything was stopped: wrong recipient';
  return events.map((event) => EVENTS[event]).join(', ');
}

function pageText({
  url,
  page_id: id,
  page_version: version,
  link_page: link,
}: Evidence['shown']): string | null {
  const page = id === null ? null : `${id}${version === null ? '' : `, version ${version}`}`;
  const behindLink = link === undefined ? null : 'the page that the link opens';
  const parts = [url, behindLink, page].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(' · ');
}

/** The first of two steps. */
function requestText(requested: Evidence['requested']): string | null {
  if (requested === null) return null;
  const { at, ip } = requested;
  return ip === null ? at : `${at}, from IP address ${ip} (anonymized)`;
}

/** Where an imported choice comes from. */
function importFacts({ shown: { imported: from }, imported }: SentRecord): [string, string | null][] {
  if (from === undefined) return [];
  return [
    [
      'Imported file',
      [from.file_name, from.tool === null ? '' : `exported from ${from.tool}`].filter(Boolean).join(', '),
    ],
    ['Row of the file', from.rows.join(', ')],
    ['SHA-256 of the file', from.file_sha256],
    ['Signed up, as imported', from.consent_at ?? null],
    ['IP address of the sign-up', imported?.consent_ip ?? null],
    ['Source, as imported', imported?.source ?? null],
    ['State in the file', from.suppression ?? null],
    ['Since, as imported', from.suppressed_at ?? null],
    ['Reason, as imported', imported?.reason ?? null],
  ];
}

/** The record in words, without unknown values. */
function factsOf(record: SentRecord): [string, string][] {
  const facts: [string, string | null][] = [
    ['Customer', record.email],
    ['What happened', whatHappened(record)],
    ['Lists that changed', record.lists.map(listText).join('; ')],
    ['State after', stateText(record)],
    ['When', record.occurred_at],
    ['Requested', requestText(record.requested)],
    ['How', SOURCES[record.source]],
    ['Proven by', AUTHORITIES[record.authority]],
    ['Reason given', record.reason === null ? null : REASONS[record.reason]],
    ['Page', pageText(record.shown)],
    ['Lists shown', record.shown.lists.map(({ name }) => name).join('; ')],
    ['Language', record.language],
    ['IP address (anonymized)', record.ip],
    ['Browser', record.user_agent],
    ['IP address of the confirmation', record.confirmed_ip],
    ...importFacts(record),
    ['Customer ID', record.customer_id],
    ['Record number', String(record.sequence)],
    ['Record ID', record.id],
    ['Hash', record.hash],
    ['Previous hash', record.previous_hash ?? 'none (first record)'],
  ];
  return facts.flatMap(([name, value]): [string, string][] =>
    value === null || value === '' ? [] : [[name, oneLine(value)]],
  );
}

/** An evidence record as an email: in words, with the signed JSON attached. */
export function evidenceMail(input: {
  to: string;
  siteName: string;
  message: EvidenceMessage;
  /** The message exactly as signed. */
  json: string;
  signature: { 'webhook-id': string; 'webhook-timestamp': string; 'webhook-signature': string };
  link: string;
  /** The URL that stops these emails. */
  stop: string;
}): Mail & { html: string } {
  const { message, signature, siteName } = input;
  const { data: record } = message;
  const isTest = record.test === true;
  const name = `evidence-${record.id}.json`;
  const [event] = record.events;
  const known = event === undefined ? 'a change' : EVENTS[event];
  const what = record.source === 'wrong_recipient' ? 'was reported as the wrong recipient' : known;
  return {
    id: signature['webhook-id'],
    to: input.to,
    subject: `${isTest ? 'Test: ' : ''}Evidence at ${siteName}: a customer ${what}`,
    // RFC 3834: asks for no out-of-office reply. RFC 2369: what the mail program offers beside the sender.
    headers: { 'Auto-Submitted': 'auto-generated', 'List-Unsubscribe': `<${input.stop}>`, ...signature },
    attachments: [{ name, type: 'application/json', content: input.json }],
    ...mailDocument({
      language: 'en',
      lines: [
        ...(isTest ? ['This is a test. No customer changed anything.'] : []),
        `A choice was recorded at ${siteName}. The full record is attached as ${name}.`,
      ],
      facts: [...factsOf(record), ...Object.entries(signature)],
      button: { text: 'Open deliveries', link: input.link },
      footnote: `The last three lines are the Standard Webhooks signature of the attached file, made with the action’s signing secret. To stop these emails, open this link and press its button: ${input.stop}`,
    }),
  };
}

function mailtoUrl(address: string): string {
  const at = address.lastIndexOf('@');
  return `mailto:${encodeURIComponent(address.slice(0, at))}@${encodeURIComponent(address.slice(at + 1))}`;
}

/** An email as shown in the delivery log and in previews. */
export function shownMail({ to, subject, headers = {}, text, attachments = [] }: Mail): Attempt['request'] {
  const files = attachments.map(({ name, content }) => `${name}:\n${content}`);
  return {
    method: 'MAIL',
    url: mailtoUrl(to),
    headers: { subject, ...headers },
    body: [text, ...files].join('\n\n'),
  };
}
