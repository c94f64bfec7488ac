import { z } from 'zod';
import { listPreference, listPreferences } from './customers.ts';
import { LEAVE_REASONS } from './choices.ts';
import { email, id, language, lookup, timestamp } from './fields.ts';
import { pendingChanges } from './pending-changes.ts';
import { customPath, customerPage, publicPage } from './preference-pages.ts';
import { defineRoute } from './route.ts';

const customerId = z
  .string()
  .min(1)
  .max(300)
  .describe('The sealed `id` that `POST customer/v1/customers` answered.');

const siteHeaders = {
  'x-site-domain': z
    .string()
    .max(260)
    .optional()
    .describe('The host name of the site; default: the request host.'),
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
      'The save id: the same one again, with the same body, answers the first result and changes nothing; with another body it answers 409 `conflict`. A save that found nothing to change does not use its id up.',
    ),
  'x-page-language': language.optional().describe('The language in which the lists were shown.'),
  'x-choice-source': z.enum(['page', 'state_link']).optional(),
});

export const publicCustomer = z
  .object({
    id: z.string(),
    level: z
      .enum(['open', 'proven', 'leave'])
      .describe(
        'What proved who this is. `open`: an address was typed. `proven`: a personal link. `leave`: a personal link that has expired or was ended; it may only lower consent, anything else answers 403 `link_expired`.',
      ),
    email: z.string().describe('Masked (`n•••@example.com`) at level `leave`.'),
    global_unsubscribe: z.boolean(),
    paused_until: timestamp
      .nullable()
      .describe('Receives nothing until then; the lists say what comes after the pause.'),
  })
  .meta({ id: 'PublicCustomer' });

/** How long a pause may be, in days. */
export const PAUSE_DAYS = [30, 60, 90] as const;
export type PauseDays = (typeof PAUSE_DAYS)[number];

const MAX_RECEIPT = 8000;

/** Proves for an hour which choice was just made: for taking it back, or saying why. */
export const receipt = z.string().min(1).max(MAX_RECEIPT);

const madeReceipt = receipt
  .nullable()
  .describe('For `undo` and `reason`, valid for an hour; null when nothing was different.');

export type PublicCustomer = z.infer<typeof publicCustomer>;

export const getPublicPage = defineRoute({
  method: 'GET',
  path: '/customer/v1/preferences/{custom_path}',
  access: 'visitor',
  tag: 'Public page',
  summary: 'What a preference page shows to anyone',
  params: z.object({ custom_path: lookup(100) }),
  headers: z.object(siteHeaders),
  status: 200,
  response: publicPage,
});

export const openCustomer = defineRoute({
  method: 'POST',
  path: '/customer/v1/customers',
  access: 'visitor',
  tag: 'Public page',
  summary: 'Find the customer of an address or a challenge, or create one where the page allows it',
  description:
    'A challenge that has expired or was ended opens the page at level `leave`. A page with `enhanced_security` answers every address with 403 `proof_needed`, known or not: if it is known (or the page lets new people in), a personal link is mailed to it, whose `challenge` opens the page.',
  headers: z.object({ ...siteHeaders, 'x-page-language': language.optional() }),
  body: z.union([
    z.strictObject({ email, custom_path: customPath }),
    z.strictObject({ challenge: z.string().min(1).max(200), custom_path: customPath }),
  ]),
  status: 200,
  response: publicCustomer,
  errors: ['customer_not_found', 'proof_needed'],
});

export const getCustomerPage = defineRoute({
  method: 'GET',
  path: '/customer/v2/customers/{customerId}/preferences/{custom_path}',
  access: 'customer',
  tag: 'Public page',
  summary: "The page with the customer's own state of each list",
  params: z.object({ customerId, custom_path: lookup(100) }),
  headers: z.object(siteHeaders),
  status: 200,
  response: customerPage,
});

export const saveLists = defineRoute({
  method: 'PUT',
  path: '/customer/v1/customers/{customerId}/lists',
  access: 'customer',
  tag: 'Public page',
  summary: "Save the customer's choice",
  description:
    'With `x-unsubscribe-all: 1` the customer leaves everything (`global_unsubscribe`) together with the lists of the body, which are all off then. Without it the lists alone are saved, also where all of them are off. ' +
    'On a page with `confirm_changes`, a visitor who only typed an address does not reverse an opt-out at once: the answer states the current choices, and `pending` what a click in an email has to confirm. ' +
    'At level `leave`, a list that is on may be sent as on and stays as it is; switching one on answers 403 `link_expired` and saves nothing.',
  params: z.object({ customerId }),
  headers: saveHeaders.extend({
    'x-unsubscribe-all': z
      .literal('1')
      .optional()
      .describe('“Unsubscribe from all” was pressed, and no list was switched on since.'),
  }),
  body: listPreferences,
  status: 200,
  response: z.object({
    choice_id: id.nullable().describe('null when nothing was different.'),
    global_unsubscribe: z.boolean(),
    lists: z.array(listPreference),
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
  summary: 'Leave everything (or come back), pause everything, or change the address',
  description:
    'With `confirm_changes`, coming back and another address may wait for a click in an email; the email goes to the new address where it is about that.',
  params: z.object({ customerId }),
  headers: saveHeaders,
  body: z.union([
    z.strictObject({ global_unsubscribe: z.boolean() }),
    z.strictObject({ email }),
    z.strictObject({
      pause_days: z
        .union(PAUSE_DAYS.map((days) => z.literal(days)))
        .describe('Where the page offers it: nothing for so many days, then everything as it was.'),
    }),
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
  summary: 'Take back the choice that was just made',
  description: 'Answers 409 `conflict` when something else was chosen since.',
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
  summary: 'Say why one left; never required',
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
  summary: 'Ask for a copy of all personal data, or for its erasure',
  description:
    'Nothing is handed out or erased yet: a mail goes to the address of the customer, and the link in it leads to a page whose button does it.',
  params: z.object({ customerId }),
  headers: z.object({ ...siteHeaders, 'x-page-language': language.optional() }),
  body: z.strictObject({ kind: z.enum(DATA_KINDS) }),
  status: 202,
  response: z.object({ masked_email: z.string().describe('Where to look for the mail.') }),
  errors: ['link_expired'],
});

export const mailFreshLink = defineRoute({
  method: 'POST',
  path: '/customer/v1/customers/{customerId}/fresh-link',
  access: 'customer',
  tag: 'Public page',
  summary: 'Email the customer a fresh personal link',
  description:
    'For a link that has expired or was ended. It goes to the address on file, a few times an hour at most; the answer is the same when no more are sent.',
  params: z.object({ customerId }),
  headers: z.object({ ...siteHeaders, 'x-page-language': language.optional() }),
  status: 202,
  response: z.object({ masked_email: z.string().describe('Where to look for the mail.') }),
});

export const endOwnLinks = defineRoute({
  method: 'POST',
  path: '/customer/v1/customers/{customerId}/links/end',
  access: 'customer',
  tag: 'Public page',
  summary: 'End all personal links of the customer',
  description:
    'For who was proven by one of them. All of them, this one included, can only unsubscribe from then on; the answer is the customer at level `leave`.',
  params: z.object({ customerId }),
  headers: z.object(siteHeaders),
  status: 200,
  response: publicCustomer,
  errors: ['proof_needed', 'link_expired'],
});
