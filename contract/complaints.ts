import { z } from 'zod';
import { collection, id, language, pageQuery, timestamp, withoutUnprintable } from './fields.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteItemParams, siteParams } from './site-scope.ts';

export const MAX_COMPLAINT = 2000;
export const MAX_COMPLAINT_ANSWER = 5000;

/** What a business decides about a complaint. */
export const COMPLAINT_OUTCOMES = ['upheld', 'partly_upheld', 'not_upheld'] as const;
export type ComplaintOutcome = (typeof COMPLAINT_OUTCOMES)[number];

/** How a complaint ended: without an answer if its customer was erased first. */
export const COMPLAINT_RESULTS = [...COMPLAINT_OUTCOMES, 'erased'] as const;
export type ComplaintResult = (typeof COMPLAINT_RESULTS)[number];

/** How a customer came who complains. */
const COMPLAINT_LEVELS = ['proven', 'open'] as const;
export type ComplaintLevel = (typeof COMPLAINT_LEVELS)[number];

export const COMPLAINT_STATES = ['open', 'closed'] as const;
export type ComplaintState = (typeof COMPLAINT_STATES)[number];

/** No complaint is refused for a character that came along with pasted text. */
const plainText = (max: number) =>
  z
    .string()
    .overwrite(withoutUnprintable)
    .trim()
    .min(1, { error: 'must not be empty' })
    .max(max, { error: `must be at most ${max} characters long` });

export const complaintText = plainText(MAX_COMPLAINT);

export const complaint = z
  .object({
    id,
    customer_id: id,
    email: z.string().nullable().describe('null once the customer is erased.'),
    text: z
      .string()
      .nullable()
      .describe('As the customer wrote it. null: erased with the customer, or no key decrypts it.'),
    language: language.describe('The language of the page it was written on. Our emails about it use it.'),
    level: z
      .enum(COMPLAINT_LEVELS)
      .nullable()
      .describe(
        "`proven`: sent with a personal link. `open`: sent by someone who only typed this customer's email, so it may be someone else. null: not recorded before version 0.3.",
      ),
    state: z.enum(COMPLAINT_STATES),
    received_at: timestamp,
    acknowledge_by: timestamp.describe('The 30th day, counting the one on which it was received.'),
    acknowledged_at: timestamp
      .nullable()
      .describe(
        'When the mail server accepted the email that confirms the receipt, usually seconds later. null: not yet, so confirm it yourself by `acknowledge_by`.',
      ),
    due_at: timestamp.describe('One month after it was received. Answer by then.'),
    is_overdue: z.boolean().describe('Still open after `due_at`.'),
    closed_at: timestamp.nullable(),
    outcome: z
      .enum(COMPLAINT_RESULTS)
      .nullable()
      .describe('null while it is open. `erased`: the customer was erased before it was answered.'),
    answer: z.string().nullable().describe('What we emailed to the customer.'),
  })
  .meta({
    id: 'Complaint',
    examples: [
      {
        id: '0198c0de-7000-7000-8000-000000000000',
        customer_id: '0198c0de-7000-7000-8000-000000000002',
        email: 'nora@example.com',
        text: 'You passed my email on to a partner. I never agreed to that.',
        language: 'en',
        level: 'proven',
        state: 'closed',
        received_at: '2026-11-25T09:30:00.000Z',
        acknowledge_by: '2026-12-24T09:30:00.000Z',
        acknowledged_at: '2026-11-25T09:30:02.000Z',
        due_at: '2026-12-25T09:30:00.000Z',
        is_overdue: false,
        closed_at: '2026-11-27T14:05:00.000Z',
        outcome: 'upheld',
        answer: 'You are right. We have removed you from the partner list.',
      },
    ],
  });

export type Complaint = z.infer<typeof complaint>;

export const listComplaints = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/complaints`,
  access: 'site',
  scopes: ['read', 'customers'],
  tag: 'Customers',
  summary: 'List complaints about how data is used',
  description:
    'Customers send them from their preference page. With `state=open` the oldest first, so that the next one due is at the top; otherwise the newest first.',
  params: siteParams,
  query: pageQuery.extend({
    state: z.enum(COMPLAINT_STATES).optional(),
    customer_id: id.optional(),
  }),
  status: 200,
  response: collection(complaint),
  errors: ['invalid_field'],
});

export const getComplaint = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/complaints/{id}`,
  access: 'site',
  scopes: ['read', 'customers'],
  tag: 'Customers',
  summary: 'Read a complaint',
  params: siteItemParams,
  status: 200,
  response: complaint,
});

export const answerComplaint = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/complaints/{id}/answer`,
  access: 'site',
  scopes: ['customers'],
  tag: 'Customers',
  summary: 'Answer and close a complaint',
  description:
    "We email the outcome and your answer to the customer's current email. It can be answered once: another answer gets 409 `conflict`.",
  params: siteItemParams,
  body: z
    .strictObject({
      outcome: z
        .enum(COMPLAINT_OUTCOMES)
        .describe('Whether you find it justified. The email says so before your answer.'),
      answer: plainText(MAX_COMPLAINT_ANSWER).describe(
        'What you found and did, in words the customer understands.',
      ),
    })
    .meta({
      examples: [{ outcome: 'upheld', answer: 'You are right. We have removed you from the partner list.' }],
    }),
  status: 200,
  response: complaint,
  errors: ['conflict'],
});
