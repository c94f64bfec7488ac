import { z } from 'zod';
import { ACTION_TYPES, requestedChange } from './actions.ts';
import { changedList, CHOICE_EVENTS } from './choices.ts';
import { collection, givenTimestamp, id, pageQuery, testFilter, timestamp } from './fields.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteItemParams, siteParams } from './site-scope.ts';

/** waiting: will be tried (again); arrived: done; failed: all tries used or refused for good; a replay starts it over. */
export const DELIVERY_STATUSES = ['waiting', 'arrived', 'failed'] as const;

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Why an attempt failed. */
export const FAILURE_CAUSES = [
  'bad_credentials',
  'refused',
  'not_found',
  'rate_limited',
  'unavailable',
] as const;

export type FailureCause = (typeof FAILURE_CAUSES)[number];

/**
 * What came of a delivery, so that one sentence says it.
 * on_its_way, retrying: under way. confirmed: the tool shows the change. accepted: the tool took it, and does not say
 * more. checking: it does not show it yet, and is asked again. unconfirmed: it never showed it. awaits_person: the tool
 * asked the person to confirm. blocked: the tool shows the change, and sends the person nothing, because they left all its
 * emails. received: a webhook or evidence was taken. not_known, overtaken, untouched, erased, disconnected: there was
 * nothing to do, because the tool does not have the person, they have chosen otherwise since, another action keeps them
 * there, or the action is for other choices now, the undone change had changed nothing there, they were erased, or the tool
 * was disconnected. test: never sent, because the choice is of a test address. held: waits until the site leaves test mode.
 * failed, tool_off, action_off: it was given up.
 */
export const DELIVERY_OUTCOMES = [
  'on_its_way',
  'retrying',
  'confirmed',
  'accepted',
  'checking',
  'unconfirmed',
  'awaits_person',
  'blocked',
  'received',
  'not_known',
  'overtaken',
  'untouched',
  'erased',
  'disconnected',
  'test',
  'held',
  'failed',
  'tool_off',
  'action_off',
] as const;

export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

export const attempt = z.object({
  number: z.number().int().describe('From 1.'),
  started_at: timestamp,
  duration_ms: z.number().int(),
  outcome: z.enum(['arrived', ...FAILURE_CAUSES]),
  request: z.object({
    method: z.string(),
    url: z.string(),
    headers: z.record(z.string(), z.string()),
    body: z.string(),
  }),
  response: z
    .object({ status: z.number().int(), body: z.string().describe('The first 2,000 characters.') })
    .nullable(),
  error: z.string().nullable(),
  changes: z
    .array(
      requestedChange.extend({
        shown: z
          .boolean()
          .nullable()
          .describe(
            "Whether the tool showed the change right after the attempt. null: it doesn't say, or wasn't asked.",
          ),
      }),
    )
    .describe(
      'What the tool was asked to change. Empty for a webhook or evidence, for an attempt from before Sayso stored this, and once the content is deleted.',
    ),
});

export type Attempt = z.infer<typeof attempt>;

const storedAttempt = attempt.extend({
  content_deleted_at: timestamp
    .nullable()
    .describe(
      "When its content was deleted, because of the site's retention or because the customer was erased. `request` then has at most its method and host, `response` at most its status, and `error` is null.",
    ),
});

export type StoredAttempt = z.infer<typeof storedAttempt>;

export const delivery = z
  .object({
    id,
    action_id: id.nullable().describe('null if the action was deleted.'),
    action_name: z.string(),
    action_type: z.enum(ACTION_TYPES),
    action_operation: z.string().nullable().describe('null: a webhook or evidence.'),
    customer_id: id,
    customer_email: z.string().nullable(),
    choice_id: id,
    event: z.enum(CHOICE_EVENTS),
    lists: z
      .array(changedList.omit({ previous: true }))
      .describe('Lists that the choice changed, by the names that they had then.'),
    tool_name: z.string().nullable().describe('null: a webhook or evidence.'),
    status: z.enum(DELIVERY_STATUSES),
    outcome: z.enum(DELIVERY_OUTCOMES),
    cause: z
      .enum(FAILURE_CAUSES)
      .nullable()
      .describe('Why the last attempt failed, for `retrying` and `failed`.'),
    attempt_count: z.number().int(),
    next_attempt_at: timestamp.nullable(),
    last_error: z.string().nullable(),
    created_at: timestamp,
    finished_at: timestamp.nullable(),
    confirmed_at: timestamp.nullable().describe('When the tool confirmed the change, if it can be checked.'),
    due_at: timestamp.describe(
      '48 hours after the choice: the strictest legal limit for an unsubscribe to take effect.',
    ),
    is_late: z.boolean().describe("It hadn't arrived by then."),
    test: z.boolean().describe('Of a test address: never sent.'),
  })
  .meta({ id: 'Delivery' });

export const deliveryDetail = delivery
  .extend({ attempts: z.array(storedAttempt) })
  .meta({ id: 'DeliveryDetail' });

export type Delivery = z.infer<typeof delivery>;
export type DeliveryDetail = z.infer<typeof deliveryDetail>;

/** What the log and the ones to send again have in common. */
const narrowing = {
  late: z.literal('true').optional().describe("Only late deliveries that haven't arrived."),
  unconfirmed: z
    .literal('true')
    .optional()
    .describe("Only deliveries a tool hasn't confirmed 24 hours after the choice, though it could."),
  since: givenTimestamp.optional().describe('Only for choices made since.'),
};

const replayFilters = z.strictObject({
  status: z
    .enum(['failed', 'waiting'])
    .default('failed')
    .describe('`waiting`: deliveries whose last attempt failed and that wait for the next one.'),
  action_id: id.optional(),
  customer_id: id.optional(),
  integration_id: id.optional(),
  ...narrowing,
});

/** No more are counted than this. */
export const MAX_COUNTED_DELIVERIES = 10_000;

const counted = z.object({
  count: z.number().int(),
  has_more: z.boolean().describe('There are more than were counted.'),
});

const filters = {
  status: z.enum(DELIVERY_STATUSES).optional(),
  action_id: id.optional(),
  customer_id: id.optional(),
  integration_id: id.optional(),
  choice_id: id.optional(),
};

export const listDeliveries = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/deliveries`,
  access: 'site',
  tag: 'Deliveries',
  summary: 'List deliveries, newest first',
  params: siteParams,
  query: pageQuery.extend({
    ...filters,
    ...narrowing,
    test: testFilter.describe('`true`: only deliveries of test customers. `false`: all others.'),
  }),
  status: 200,
  response: collection(delivery),
});

export const getDelivery = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/deliveries/{id}`,
  access: 'site',
  tag: 'Deliveries',
  summary: 'Read a delivery with its attempts',
  params: siteItemParams,
  status: 200,
  response: deliveryDetail,
});

export const replayDelivery = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/deliveries/{id}/replay`,
  access: 'site',
  tag: 'Deliveries',
  summary: 'Send a delivery again, with the same id',
  params: siteItemParams,
  status: 202,
  response: delivery,
  errors: ['conflict'],
});

export const countReplays = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/deliveries/replay`,
  access: 'site',
  tag: 'Deliveries',
  summary: 'Count the deliveries that would be sent again',
  description: `Changes nothing. Counts up to ${MAX_COUNTED_DELIVERIES.toLocaleString('en')}.`,
  params: siteParams,
  query: replayFilters,
  status: 200,
  response: counted,
});

export const countHeld = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/deliveries/held`,
  access: 'site',
  tag: 'Deliveries',
  summary: 'Count the deliveries that wait until the site leaves test mode',
  description: `Counts up to ${MAX_COUNTED_DELIVERIES.toLocaleString('en')}.`,
  params: siteParams,
  status: 200,
  response: counted,
});

export const replayDeliveries = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/deliveries/replay`,
  access: 'site',
  tag: 'Deliveries',
  summary: 'Send all matching failed or waiting deliveries again',
  description: `Deliveries that wait for a site to leave test mode aren't sent. At most 1,000 in one call; \`remaining\` says how many more match, up to ${MAX_COUNTED_DELIVERIES.toLocaleString('en')}.`,
  params: siteParams,
  body: replayFilters,
  status: 202,
  response: z.object({ replayed: z.number().int(), remaining: z.number().int() }),
});
