import type { EvidenceMessage } from '#contract/action-tests.ts';
import type { ChoiceEvent, ChoiceSource, Evidence, LeaveReason } from '#contract/choices.ts';
import type { Attempt } from '#contract/deliveries.ts';
import { mailDocument } from '#server/accounts/mails/mail-document.ts';
import { type Mail, oneLine } from '#server/platform/mail.ts';

const EVENTS: Record<ChoiceEvent, string> = {
  subscribed: 'joined a list',
  unsubscribed: 'left a list',
  global_unsubscribed: 'left everything',
  global_resubscribed: 'came back',
  email_changed: 'changed the address',
  customer_created: 'became a customer',
};

const SOURCES: Record<ChoiceSource, string> = {
  page: 'on the preference page',
  state_link: 'by a link to the preference page',
  leave_link: 'by an unsubscribe link',
  confirm_link: 'on the preference page, confirmed by email',
  one_click: 'by one-click unsubscribe in the mail program',
  owner: 'by a member of the team',
  api: 'by the API',
  import: 'by an import',
  tool: 'in an email tool',
  undo: 'by taking back a choice',
  pause_end: 'by the end of a pause',
  merge: 'by joining two spellings of one address',
  erasure: 'by asking to be erased',
};

const AUTHORITIES: Record<Evidence['authority'], string> = {
  open: 'the address alone, which was typed or came with a link',
  proven: 'a personal link that was opened',
  link: 'an unsubscribe link of a mail',
  owner: 'a member of the team',
  api_key: 'an API key',
  system: 'Sayso itself',
};

const REASONS: Record<LeaveReason, string> = {
  too_many: 'too many mails',
  not_relevant: 'not relevant',
  never_signed_up: 'never signed up',
  no_longer_customer: 'no longer a customer',
  other: 'another reason',
};

function listText({ name, subscribed, previous, declined }: Evidence['lists'][number]): string {
  if (declined) return `${name}: declined (never chosen before)`;
  const before = previous === null ? 'never chosen before' : `${previous ? 'on' : 'off'} before`;
  return `${name}: ${subscribed ? 'on' : 'off'} (${before})`;
}

function stateText({ global_unsubscribe: hasLeft, paused_until: until }: Evidence): string {
  if (until !== null) return `receives nothing until ${until}`;
  return hasLeft ? 'receives nothing' : 'receives the lists that are on';
}

function pageText({ url, page_id: id, page_version: version }: Evidence['shown']): string | null {
  const page = id === null ? null : `${id}${version === null ? '' : `, version ${version}`}`;
  const parts = [url, page].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(' · ');
}

/** The record in words, without unknown values. */
function factsOf(record: Evidence): [string, string][] {
  const facts: [string, string | null][] = [
    ['Customer', record.email],
    ['What happened', record.events.map((event) => EVENTS[event]).join(', ')],
    ['Lists that changed', record.lists.map(listText).join('; ')],
    ['Afterwards', stateText(record)],
    ['When', record.occurred_at],
    ['How', SOURCES[record.source]],
    ['Proven by', AUTHORITIES[record.authority]],
    ['Reason given', record.reason === null ? null : REASONS[record.reason]],
    ['Page', pageText(record.shown)],
    ['Lists shown', record.shown.lists.map(({ name }) => name).join('; ')],
    ['Language', record.language],
    ['IP address, anonymised', record.ip],
    ['Browser', record.user_agent],
    ['Customer id', record.customer_id],
    ['Choice number', String(record.sequence)],
    ['Record id', record.id],
    ['Hash', record.hash],
    ['Hash before', record.previous_hash ?? 'none: this is the first'],
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
}): Mail {
  const { message, signature, siteName } = input;
  const { data: record } = message;
  const isTest = record.test === true;
  const name = `evidence-${record.id}.json`;
  const [event] = record.events;
  const what = event === undefined ? 'a choice' : EVENTS[event];
  return {
    id: signature['webhook-id'],
    to: input.to,
    subject: `${isTest ? 'Test: ' : ''}Evidence at ${siteName}: a customer ${what}`,
    // RFC 3834: asks for no out-of-office reply.
    headers: { 'Auto-Submitted': 'auto-generated', ...signature },
    attachments: [{ name, type: 'application/json', content: input.json }],
    ...mailDocument({
      language: 'en',
      lines: [
        ...(isTest ? ['This is a test: nobody chose anything.'] : []),
        `A choice was recorded at ${siteName}. ${name}, attached, holds the whole record.`,
      ],
      facts: [...factsOf(record), ...Object.entries(signature)],
      button: { text: 'Open the delivery log', link: input.link },
      footnote:
        "The last three lines sign the attached file, byte for byte, with the action's signing secret by the Standard Webhooks specification.",
    }),
  };
}

/** An email as shown in the delivery log and in previews. */
export function shownMail({ to, subject, headers = {}, text, attachments = [] }: Mail): Attempt['request'] {
  const files = attachments.map(({ name, content }) => `${name}:\n${content}`);
  return {
    method: 'MAIL',
    url: `mailto:${encodeURIComponent(to).replace('%40', '@')}`,
    headers: { subject, ...headers },
    body: [text, ...files].join('\n\n'),
  };
}
