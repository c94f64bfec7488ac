import { z } from 'zod';
import { collection, givenTimestamp, id, language, pageQuery, testFilter, timestamp } from './fields.ts';
import { judgement, VERDICTS } from './judgements.ts';
import { legalBasis } from './lists.ts';
import { operator } from './operator.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteItemParams, siteParams } from './site-scope.ts';

/** How a choice came about. */
export const CHOICE_SOURCES = [
  'page',
  'state_link',
  'leave_link',
  'confirm_link',
  'one_click',
  'wrong_recipient',
  'owner',
  'api',
  'import',
  'tool',
  'undo',
  'pause_end',
  'merge',
  'erasure',
] as const;

/** What a choice can be about; these are also the events that actions wait for. */
export const CHOICE_EVENTS = [
  'subscribed',
  'unsubscribed',
  'global_unsubscribed',
  'global_resubscribed',
  'email_changed',
  'customer_created',
] as const;

/** Why somebody left, where they cared to say. */
export const LEAVE_REASONS = [
  'too_many',
  'not_relevant',
  'never_signed_up',
  'no_longer_customer',
  'other',
] as const;

/** What a choice can do to somebody and a list. */
export const MOVES = ['joined', 'left'] as const;

export type Move = (typeof MOVES)[number];
export type LeaveReason = (typeof LEAVE_REASONS)[number];
export type ChoiceSource = (typeof CHOICE_SOURCES)[number];
export type ChoiceEvent = (typeof CHOICE_EVENTS)[number];

/** Somebody makes these for customers, often for many at once; what they replace is recorded, so that it can be undone. */
export const MADE_FOR_CUSTOMERS: readonly ChoiceSource[] = ['import', 'tool', 'owner', 'api'];

/** Only subscribing and unsubscribing happen to a list; the other events happen to the customer. */
export function isAboutLists(event: ChoiceEvent): boolean {
  return event === 'subscribed' || event === 'unsubscribed';
}

export const changedList = z.object({
  list_id: id,
  name: z.string(),
  subscribed: z.boolean(),
  previous: z.boolean().nullable().describe('null: never chosen before.'),
  declined: z
    .literal(true)
    .optional()
    .describe(
      'Saved as off, which is the default, without ever being chosen. Not an unsubscribe, but actions that make a tool send less run.',
    ),
  legal_basis: legalBasis
    .optional()
    .describe("The list's legal basis at the time; absent if none was stated, and in older records."),
  cleared: z
    .literal(true)
    .optional()
    .describe('Only in an undo: back to never chosen. The undone change no longer applies.'),
  confirmed_at: timestamp
    .optional()
    .describe(
      'Only in imports: when the customer confirmed the subscription elsewhere, as the file says. Without it, an import is what the business claims.',
    ),
});

/** Why a tool no longer sends to somebody, or never may have. */
export const SUPPRESSIONS = ['unsubscribed', 'bounced', 'complained', 'blocked', 'unconfirmed'] as const;

export type Suppression = (typeof SUPPRESSIONS)[number];

/** Where an imported choice comes from: nothing that names a person, because records outlive an erasure. */
export const importedFrom = z.object({
  file_name: z.string().describe('Emails in it are replaced by "…".'),
  file_sha256: z
    .string()
    .nullable()
    .describe('SHA-256 of the uploaded file, in hex. null: uploaded before Sayso computed it.'),
  rows: z
    .array(z.number().int())
    .describe(
      'Counted as in a spreadsheet: the header is 1. Further rows have the same email, and their unsubscribes were applied to the first.',
    ),
  tool: z.string().nullable().describe('The tool whose export this is; null if we only guess it.'),
  consent_at: timestamp.optional().describe('When the customer signed up or agreed, as the file says.'),
  suppression: z
    .enum(SUPPRESSIONS)
    .optional()
    .describe('Why the row subscribes to nothing, or unsubscribes from all, as the file says.'),
  suppressed_at: timestamp.optional().describe('When that happened, as the file says.'),
  details_hash: z
    .string()
    .optional()
    .describe(
      'SHA-256 over the `imported` of this record, so that its hash covers it. A random salt in it prevents guessing after an erasure.',
    ),
});

/** What a file says that may name a person: encrypted with their own key, so that it goes when they are erased. */
export const importedDetails = z.object({
  consent_ip: z.string().nullable().describe('The IP address of the sign-up.'),
  source: z.string().nullable().describe('Where the customer signed up.'),
  reason: z
    .string()
    .nullable()
    .describe('Why the customer unsubscribed or was suppressed, in the words of the file.'),
  salt: z.string(),
});

/** What can change many customers at once. */
export const BULK_CHANGE_KINDS = ['import', 'incoming', 'repair', 'edit'] as const;

/** Which choices an undo takes back. */
export const undone = z.object({
  kind: z.enum(BULK_CHANGE_KINDS),
  bulk_change_id: id,
  sequences: z.array(z.number().int()).describe("Of this customer's choices that were undone."),
});

/** How somebody opted out in a tool. */
export const OPT_OUT_KINDS = ['unsubscribed', 'complained', 'list_unsubscribed', 'group_suppressed'] as const;

export type OptOutKind = (typeof OPT_OUT_KINDS)[number];

/** An opt-out that a tool reported before its email was a customer's. */
export const keptOptOut = z.object({
  kind: z.enum(OPT_OUT_KINDS),
  list_id: id.nullable().describe('null: from everything.'),
  integration_id: id
    .nullable()
    .describe(
      'The tool that reported it. null: a customer with this email unsubscribed here and was erased.',
    ),
  at: timestamp.describe('When it happened, as the tool said.'),
});

/** What a person asked to stop although it was off already. */
export const alreadyOff = z.object({
  everything: z.boolean(),
  lists: z.array(
    z.object({
      list_id: id,
      name: z.string(),
      deleted: z.literal(true).optional().describe('The list no longer existed.'),
    }),
  ),
});

/** The pages behind links, where a button makes the choice. */
export const LINK_PAGES = [
  'leave',
  'resubscribe',
  'email_change',
  'email_undo',
  'resubscribe_undo',
  'restore',
  'data_erasure',
] as const;

/** Exactly what the person had before them when choosing. */
export const shown = z.object({
  page_id: id.nullable(),
  page_version: z.number().int().nullable(),
  text_hash: z
    .string()
    .optional()
    .describe(
      'SHA-256, in hex, of the text that the page showed, word for word, with its buttons and notices. Proof packs contain the text. Absent in older records, and where no page was shown.',
    ),
  link_page: z
    .enum(LINK_PAGES)
    .optional()
    .describe(
      'Only where a button on the page behind a link made the choice: which page that was. It has the design and the words of the preference page that `page_id` names, or neutral ones if that is null. Absent in older records.',
    ),
  email_text_hash: z
    .string()
    .optional()
    .describe(
      'Only where a link in an email asked for confirmation: SHA-256, in hex, of what that email said, without the link and with "…" for the customer\'s email. Proof packs contain the text. Absent in older records.',
    ),
  template_id: z.string().nullable(),
  url: z.string().nullable(),
  lists: z.array(
    z.object({
      list_id: id,
      name: z.string(),
      description: z.string(),
      default_state: z.boolean(),
      double_opt_in: z.literal(true).optional().describe('Switching it on had to be confirmed by email.'),
      legal_basis: legalBasis.optional(),
    }),
  ),
  operator: operator
    .optional()
    .describe('The operator named on the page; absent if none was named, and in older records.'),
  imported: importedFrom
    .optional()
    .describe('Only in imports from a file, where no page was shown: where the choice comes from.'),
  undone: undone
    .optional()
    .describe(
      'Only where a bulk change was undone, and no page was shown: the choices that it took back. The customer did not choose this.',
    ),
  already_off: alreadyOff
    .optional()
    .describe(
      'Only where a customer asked to stop what was already off, or a list that had been deleted: what they asked to stop. It changes nothing here, but is sent to your tools again, and undoing a bulk change leaves it off.',
    ),
  kept_opt_outs: z
    .array(keptOptOut)
    .optional()
    .describe(
      "Only where the customer's email had unsubscribed before it was theirs: what tools had reported, and when.",
    ),
  person_details_hash: z
    .string()
    .optional()
    .describe(
      'SHA-256 over the browsers and the IP address of the confirmation that are encrypted with this record, so that its hash covers them. A random salt in it prevents guessing after an erasure. Absent if there are none, and in older records.',
    ),
});

/** The first of two steps: somebody asked, and the choice waited for a click in an email. */
export const requested = z.object({
  at: timestamp,
  source: z.enum(CHOICE_SOURCES),
  ip: z.string().nullable().describe('Anonymized.'),
  language: language.nullable(),
  shown,
});

/** One choice with its evidence; append-only. */
export const evidence = z
  .object({
    id,
    customer_id: id,
    sequence: z.number().int().describe('Increases by one with each choice of the customer.'),
    source: z.enum(CHOICE_SOURCES),
    events: z.array(z.enum(CHOICE_EVENTS)),
    lists: z.array(changedList),
    global_unsubscribe: z.boolean().describe('The state after the choice.'),
    paused_until: timestamp
      .nullable()
      .describe('End of a pause, when the customer is resubscribed automatically; null: no pause.'),
    reason: z.enum(LEAVE_REASONS).nullable().describe('Why the customer unsubscribed, if they said.'),
    shown,
    language: language.nullable(),
    authority: z.enum(['open', 'proven', 'link', 'owner', 'api_key', 'system']),
    requested: requested
      .extend({ user_agent: z.string().nullable() })
      .nullable()
      .describe('How it was requested, if the customer confirmed it by email.'),
    email: z.string().nullable().describe('The email at the time.'),
    ip: z
      .string()
      .nullable()
      .describe('Anonymized: the last octet (IPv4) or all but the first 48 bits (IPv6) are zero.'),
    user_agent: z.string().nullable(),
    confirmed_ip: z
      .string()
      .nullable()
      .describe('Only in imports: the IP address of the confirmation, as the file says.'),
    imported: importedDetails
      .nullable()
      .describe(
        'Only in imports: what the file says beyond `shown.imported`. Encrypted, and null once the customer is erased.',
      ),
    occurred_at: timestamp,
    test: z
      .boolean()
      .describe(
        'Made by a test address, so it is never sent. Recorded when it was made, and covered by the hash.',
      ),
    hash: z.string().describe("SHA-256 over this record and the customer's previous one."),
    previous_hash: z.string().nullable(),
  })
  .meta({ id: 'Evidence' });

/** With what is judged when it is read. It is no part of the record: the hash doesn't cover it. */
export const judgedEvidence = evidence
  .extend({
    judgement: judgement
      .nullable()
      .describe(
        'Whether a person or a machine, such as a security scanner, made the choice. Computed on reading, and not covered by the hash. It labels the choice and changes nothing: an unsubscribe is one either way. null: no visitor made it.',
      ),
  })
  .meta({ id: 'JudgedEvidence' });

export type Evidence = z.infer<typeof evidence>;
export type LinkPage = (typeof LINK_PAGES)[number];
export type ImportedFrom = z.infer<typeof importedFrom>;
export type Undone = z.infer<typeof undone>;
export type AlreadyOff = z.infer<typeof alreadyOff>;
export type ImportedDetails = z.infer<typeof importedDetails>;
export type JudgedEvidence = z.infer<typeof judgedEvidence>;
export type Requested = z.infer<typeof requested>;

export const listCustomerEvidence = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/customers/{id}/evidence`,
  access: 'site',
  tag: 'Evidence',
  summary: "List a customer's evidence, newest first",
  params: siteItemParams,
  query: pageQuery,
  status: 200,
  response: collection(judgedEvidence),
});

export const listEvidence = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/evidence`,
  access: 'site',
  tag: 'Evidence',
  summary: 'List the evidence of a site, newest first',
  params: siteParams,
  query: pageQuery.extend({
    since: givenTimestamp.optional().describe('Only choices made since.'),
    chose: z
      .literal('true')
      .optional()
      .describe(
        'Only records that chose something: without those of customers who were only created. Without tests, unless `test` is `true`.',
      ),
    move: z
      .enum(MOVES)
      .optional()
      .describe(
        'Only choices that subscribed to, or unsubscribed from, a list. Without tests, unless `test` is `true`.',
      ),
    list_id: id
      .optional()
      .describe(
        'Only choices that subscribed to, or unsubscribed from, this list. Without tests, unless `test` is `true`.',
      ),
    reason: z.enum(LEAVE_REASONS).optional().describe('Only unsubscribes with this reason.'),
    test: testFilter.describe('`true`: only choices marked as tests. `false`: all others.'),
    verdict: z
      .enum(VERDICTS)
      .optional()
      .describe(
        'Only choices with this judgement. One call looks at up to 1,000 choices: a page can be shorter than `limit`, or empty, while `next` is not null.',
      ),
  }),
  status: 200,
  response: collection(judgedEvidence),
});

export const getEvidence = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/evidence/{id}`,
  access: 'site',
  tag: 'Evidence',
  summary: 'Read an evidence record',
  params: siteItemParams,
  status: 200,
  response: judgedEvidence,
});
