import { z } from 'zod';
import { listPreference, listPreferences } from './customers.ts';
import { LEAVE_REASONS } from './choices.ts';
import { complaintText, MAX_COMPLAINT } from './complaints.ts';
import { email, id, language, lookup, timestamp } from './fields.ts';
import { MAX_PASTED_CHALLENGE } from './pasted-links.ts';
import { PENDING_KINDS, pendingChanges } from './pending-changes.ts';
import { customPath, customerPage, publicPage } from './preference-pages.ts';
import { defineRoute } from './route.ts';

const customerId = z
  .string()
  .min(1)
  .max(300)
  .describe('The encrypted `id` from `POST customer/v1/customers`.');

const siteHeaders = {
  'x-site-domain': z
    .string()
    .max(260)
    .optional()
    .describe("The site's host name; default: the request's host."),
};

const saveHeaders = z.object({
  ...siteHeaders,
  'idempotency-key': z
    .string()
    .min(8)
    .max(64)
    .regex(/^[\w-]+$/)
    .optional()
    .describe(
      "The save ID. Sending it again with the same body returns the first result and changes nothing. With another body, it answers 409 `conflict`. A save that changed nothing doesn't use up its ID.",
    ),
  'x-page-language': language.optional().describe('The language the lists were shown in.'),
  'x-choice-source': z.enum(['page', 'state_link']).optional(),
});

export const publicCustomer = z
  .object({
    id: z.string(),
    level: z
      .enum(['open', 'proven', 'leave'])
      .describe(
        'How the customer was identified. `open`: with a typed email. `proven`: with a personal link. `leave`: with a personal link that has expired or was ended. It can only unsubscribe; anything else answers 403 `link_expired`.',
      ),
    email: z.string().describe('Masked (`n•••@example.com`) at level `leave`.'),
    global_unsubscribe: z.boolean(),
    paused_until: timestamp
      .nullable()
      .describe('Receives nothing until then. The lists apply after the pause.'),
  })
  .meta({ id: 'PublicCustomer' });

/** How long a pause may be, in days. */
export const PAUSE_DAYS = [30, 60, 90] as const;
export type PauseDays = (typeof PAUSE_DAYS)[number];

/** How far from today, by UTC days, a pause until a date may end. */
export const PAUSE_UNTIL = { minDays: 7, maxDays: 365 } as const;

export const pauseUntil = z.iso
  .date({ error: 'must be a date such as 2027-03-01' })
  .describe(
    `No emails until this day begins everywhere in the world (12:00 UTC), then everything as before. ${PAUSE_UNTIL.minDays} to ${PAUSE_UNTIL.maxDays} days from today (UTC).`,
  );

/** How long a pause is to be: of one of the suggested lengths, or until a day of the customer's choice. */
export type PauseLength = { pause_days: PauseDays } | { pause_until: string };

const MAX_RECEIPT = 8000;

/** Proves for an hour which choice was just made: for taking it back, or saying why. */
export const receipt = z.string().min(1).max(MAX_RECEIPT);

const madeReceipt = receipt
  .nullable()
  .describe('For `undo` and `reason`, valid for an hour; null if nothing changed.');

export type PublicCustomer = z.infer<typeof publicCustomer>;

export const getPublicPage = defineRoute({
  method: 'GET',
  path: '/customer/v1/preferences/{custom_path}',
  access: 'visitor',
  tag: 'Public page',
  summary: 'Read a preference page',
  params: z.object({ custom_path: lookup(100) }),
  headers: z.object(siteHeaders),
  status: 200,
  response: publicPage,
});

const renews = customerId
  .optional()
  .describe(
    'An expired `id` of the same customer: the page still shows what it showed with that one. Leave it out if you read the page again.',
  );

const shownCustomer = publicCustomer.describe(
  'With a new `id`, which says that the page now shows this state. Use it from now on.',
);

export const openCustomer = defineRoute({
  method: 'POST',
  path: '/customer/v1/customers',
  access: 'visitor',
  tag: 'Public page',
  summary: 'Find a customer by email or challenge, or create one if the page allows it',
  description:
    'A challenge that has expired or was ended opens the page at level `leave`. A page with `enhanced_security` answers every email with 403 `proof_needed`, known or not. If the email is known (or the page accepts new customers), we send it a personal link whose `challenge` opens the page.',
  headers: z.object({ ...siteHeaders, 'x-page-language': language.optional() }),
  body: z.union([
    z.strictObject({ email, custom_path: customPath, renews }),
    z.strictObject({
      challenge: z.string().min(1).max(MAX_PASTED_CHALLENGE),
      custom_path: customPath,
      renews,
    }),
  ]),
  status: 200,
  response: publicCustomer,
  errors: ['customer_not_found', 'proof_needed'],
});

const openedCustomerPage = customerPage.extend({ customer: shownCustomer });

export type OpenedCustomerPage = z.infer<typeof openedCustomerPage>;

export const getCustomerPage = defineRoute({
  method: 'GET',
  path: '/customer/v2/customers/{customerId}/preferences/{custom_path}',
  access: 'customer',
  tag: 'Public page',
  summary: "Read a preference page with the customer's state for each list",
  params: z.object({ customerId, custom_path: lookup(100) }),
  headers: z.object(siteHeaders),
  status: 200,
  response: openedCustomerPage,
});

export const saveLists = defineRoute({
  method: 'PUT',
  path: '/customer/v1/customers/{customerId}/lists',
  access: 'customer',
  tag: 'Public page',
  summary: "Save the customer's choice",
  description:
    'A list that you send as the page showed it when you got the `id` is left as it is if the customer, a tool or the business decided about it (or about everything) since. So an old page takes back no later choice. The response has the current state. ' +
    'Lists that the page no longer offers are ignored, and named in `ignored`. If the page was deleted or asks for a personal link by now, only what is off is saved. ' +
    'With `x-unsubscribe-all: 1`, the customer unsubscribes from all (`global_unsubscribe`), and all lists in the body are off. Without it, only the lists are saved, even if all of them are off. ' +
    'Switching on a list with `double_opt_in` waits for a click in an email, however the visitor came: the response has the current state, and `pending` the lists that they have to confirm. Sending such a list again as on sends no other email; sending it as off cancels it. ' +
    "On a page with `confirm_changes`, a visitor who only typed an email can't resubscribe right away: the response has the current state, and `pending` what they have to confirm by email. " +
    'Beyond the limit of saves at level `open`, what is off is saved, and the response is 429 `rate_limited` if something was to be switched on. ' +
    'At level `leave`, you can send a list that is on as on, and it stays on. Switching one on answers 403 `link_expired` and saves nothing.',
  params: z.object({ customerId }),
  headers: saveHeaders.extend({
    'x-unsubscribe-all': z
      .literal('1')
      .optional()
      .describe('"Unsubscribe from all" was pressed, and no list was switched on after that.'),
  }),
  body: listPreferences,
  status: 200,
  response: z.object({
    choice_id: id.nullable().describe('null if nothing changed.'),
    global_unsubscribe: z.boolean(),
    customer: shownCustomer,
    lists: z.array(listPreference),
    ignored: z.array(id).describe('Lists of the body that the page no longer offers. The rest is saved.'),
    receipt: madeReceipt,
    pending: pendingChanges,
  }),
  errors: ['link_expired', 'conflict'],
});

export const updatePublicCustomer = defineRoute({
  method: 'PATCH',
  path: '/customer/v1/customers/{customerId}',
  access: 'customer',
  tag: 'Public page',
  summary: 'Unsubscribe from all, resubscribe, pause, or change the email',
  description:
    'With `confirm_changes`, resubscribing or changing the email may have to be confirmed by email. To confirm a new email, we write to that one.',
  params: z.object({ customerId }),
  headers: saveHeaders,
  body: z.union([
    z.strictObject({ global_unsubscribe: z.boolean() }),
    z.strictObject({ email }),
    z.strictObject({
      pause_days: z
        .union(PAUSE_DAYS.map((days) => z.literal(days)))
        .describe('No emails for this many days, then everything as before.'),
    }),
    z.strictObject({ pause_until: pauseUntil }),
  ]),
  status: 200,
  response: publicCustomer.extend({ receipt: madeReceipt, pending: pendingChanges }),
  errors: ['error_exists', 'link_expired', 'conflict'],
});

export const undoChoice = defineRoute({
  method: 'POST',
  path: '/customer/v1/customers/{customerId}/undo',
  access: 'customer',
  tag: 'Public page',
  summary: 'Undo the last choice',
  description: 'Answers 409 `conflict` if the preferences have changed since.',
  params: z.object({ customerId }),
  headers: saveHeaders,
  body: z.strictObject({ receipt }),
  status: 200,
  response: publicCustomer,
  errors: ['conflict', 'link_expired'],
});

export const giveReason = defineRoute({
  method: 'POST',
  path: '/customer/v1/customers/{customerId}/reason',
  access: 'customer',
  tag: 'Public page',
  summary: 'Give a reason for unsubscribing; optional',
  params: z.object({ customerId }),
  headers: z.object(siteHeaders),
  body: z.strictObject({ receipt, reason: z.enum(LEAVE_REASONS) }),
  status: 204,
  response: z.null(),
  errors: ['link_expired'],
});

/** What a person can ask for about the data that is held about them. */
export const DATA_KINDS = ['download', 'erasure'] as const;
export type DataKind = (typeof DATA_KINDS)[number];

export const requestData = defineRoute({
  method: 'POST',
  path: '/customer/v1/customers/{customerId}/data-requests',
  access: 'customer',
  tag: 'Public page',
  summary: 'Request a copy of all personal data, or its erasure',
  description: 'Nothing happens yet: we send the customer an email with a link to a page where they confirm.',
  params: z.object({ customerId }),
  headers: z.object({ ...siteHeaders, 'x-page-language': language.optional() }),
  body: z.strictObject({ kind: z.enum(DATA_KINDS) }),
  status: 202,
  response: z.object({ masked_email: z.string().describe('Which inbox to check.') }),
  errors: ['link_expired'],
});

export const complain = defineRoute({
  method: 'POST',
  path: '/customer/v1/customers/{customerId}/complaints',
  access: 'customer',
  tag: 'Public page',
  summary: 'Complain about how personal data is used',
  description:
    "We email the customer right away that we received it, without quoting it, and notify the site's owners. Sending the same text again while it is open changes nothing and gets the same response. At most five a day, and as many by visitors at level `open`, whose complaints say so.",
  params: z.object({ customerId }),
  headers: z.object({ ...siteHeaders, 'x-page-language': language.optional() }),
  body: z
    .strictObject({ text: complaintText.describe(`Plain text, at most ${MAX_COMPLAINT} characters.`) })
    .meta({ examples: [{ text: 'You passed my email on to a partner. I never agreed to that.' }] }),
  status: 202,
  response: z.object({
    masked_email: z.string().describe('Where the confirmation and the answer go.'),
    due_at: timestamp.describe('By when the business answers: one month after it was received.'),
  }),
  errors: ['link_expired'],
});

export const mailFreshLink = defineRoute({
  method: 'POST',
  path: '/customer/v1/customers/{customerId}/fresh-link',
  access: 'customer',
  tag: 'Public page',
  summary: 'Email the customer a new personal link',
  description:
    'For a link that has expired or was ended. We send it to the email on file, at most a few times an hour. The response is the same if we send no more.',
  params: z.object({ customerId }),
  headers: z.object({ ...siteHeaders, 'x-page-language': language.optional() }),
  status: 202,
  response: z.object({ masked_email: z.string().describe('Which inbox to check.') }),
});

export const resendConfirmation = defineRoute({
  method: 'POST',
  path: '/customer/v1/customers/{customerId}/pending-changes/resend',
  access: 'customer',
  tag: 'Public page',
  summary: 'Email the link of a pending change again',
  description:
    'At most three emails of a kind an hour to one address, including the first. The new link expires when the first one does. Answers 404 if nothing of this kind is pending.',
  params: z.object({ customerId }),
  headers: z.object({ ...siteHeaders, 'x-page-language': language.optional() }),
  body: z.strictObject({ kind: z.enum(PENDING_KINDS) }),
  status: 202,
  response: z.object({ masked_email: z.string().describe('Which inbox to check.') }),
});

export const endOwnLinks = defineRoute({
  method: 'POST',
  path: '/customer/v1/customers/{customerId}/links/end',
  access: 'customer',
  tag: 'Public page',
  summary: 'End all personal links of the customer',
  description:
    'For customers identified by one of them. All links, including this one, can then only unsubscribe. Returns the customer at level `leave`.',
  params: z.object({ customerId }),
  headers: z.object(siteHeaders),
  status: 200,
  response: publicCustomer,
  errors: ['proof_needed', 'link_expired'],
});

/** How far the latest choice has got on its way to all tools and endpoints. */
const PROGRESS_STATES = ['none', 'waiting', 'received', 'confirmed', 'delayed'] as const;
export type ProgressState = (typeof PROGRESS_STATES)[number];

export const getChoiceProgress = defineRoute({
  method: 'GET',
  path: '/customer/v1/customers/{customerId}/progress',
  access: 'customer',
  tag: 'Public page',
  summary: "Read whether the customer's latest choice has arrived in all email systems",
  description:
    'For customers identified by a personal link; anyone else gets 404. `none`: nothing is sent for this choice. `waiting`: some deliveries are on their way. `received`: all of them were accepted. `confirmed`: they were also read back from every tool. `delayed`: some failed or are being tried again.',
  params: z.object({ customerId }),
  headers: z.object(siteHeaders),
  status: 200,
  response: z.object({ state: z.enum(PROGRESS_STATES) }),
});
