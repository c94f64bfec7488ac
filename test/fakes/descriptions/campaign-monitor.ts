import { z } from 'zod';
import { describeTool, digits, flag } from './written.ts';

/* What Campaign Monitor takes. What it answers was recorded (`campaign-monitor.json`), but for bodies that are empty. */

const id = z.string().regex(/^[0-9a-f]{32}$/);
const client = { client: id };
const list = { list: id };
const ordered = (fields: readonly [string, ...string[]]) => ({
  page: digits(1).optional(),
  pagesize: digits(10, 1000).optional(),
  orderfield: z.enum(fields).optional(),
  orderdirection: z.enum(['asc', 'desc']).optional(),
});
const allows = z.enum(['Yes', 'No', 'Unchanged']);
const subscriber = z.strictObject({
  EmailAddress: z.string(),
  Name: z.string().optional(),
  MobileNumber: z.string().optional(),
  CustomFields: z
    .array(
      z.strictObject({
        Key: z.string(),
        Value: z.string().max(250).optional(),
        Clear: z.boolean().optional(),
      }),
    )
    .optional(),
  // Missing, it has a code of its own.
  ConsentToTrack: allows.optional(),
  ConsentToSendSms: allows.optional(),
});
const page = {
  path: list,
  query: {
    ...ordered(['email', 'name', 'date']),
    date: z
      .string()
      .regex(/^\d{4}-\d\d-\d\d$/)
      .optional(),
    includetrackingpreference: flag.optional(),
    includesmspreference: flag.optional(),
  },
};
const empty = { 200: null };

export const CAMPAIGN_MONITOR = describeTool({
  source: {
    kind: 'documented',
    date: '2026-11-21',
    where: 'documentation of API v3.3, as in api-evangelist/campaignmonitor a8231559',
  },
  operations: {
    'get /clients.json': {},
    'get /clients/{client}/lists.json': { path: client },
    'get /clients/{client}/listsforemail.json': { path: client, query: { email: z.string() } },
    'get /clients/{client}/suppressionlist.json': { path: client, query: ordered(['email', 'date']) },
    'post /clients/{client}/suppress.json': {
      path: client,
      json: z.strictObject({ EmailAddresses: z.array(z.string()).min(1) }),
      answers: empty,
    },
    'put /clients/{client}/unsuppress.json': {
      path: client,
      query: { email: z.string() },
      answers: empty,
    },
    'get /lists/{list}/customfields.json': { path: list },
    'get /lists/{list}/webhooks.json': { path: list },
    'post /lists/{list}/webhooks.json': {
      path: list,
      json: z.strictObject({
        Events: z.array(z.enum(['Subscribe', 'Deactivate', 'Update'])).min(1),
        Url: z.url(),
        PayloadFormat: z.enum(['json', 'xml']),
      }),
    },
    'delete /lists/{list}/webhooks/{webhook}.json': { path: list, answers: empty },
    'get /lists/{list}/active.json': page,
    'get /lists/{list}/unconfirmed.json': page,
    'get /lists/{list}/unsubscribed.json': page,
    'get /lists/{list}/bounced.json': page,
    'get /lists/{list}/deleted.json': page,
    'get /subscribers/{list}.json': {
      path: list,
      query: { email: z.string(), includetrackingpreference: flag.optional() },
    },
    'put /subscribers/{list}.json': {
      path: list,
      query: { email: z.string() },
      json: subscriber.extend({
        Resubscribe: z.boolean().optional(),
        RestartSubscriptionBasedAutoresponders: z.boolean().optional(),
      }),
      answers: empty,
    },
    'delete /subscribers/{list}.json': { path: list, query: { email: z.string() }, answers: empty },
    'post /subscribers/{list}/unsubscribe.json': {
      path: list,
      json: z.strictObject({ EmailAddress: z.string() }),
      answers: empty,
    },
    'post /subscribers/{list}/import.json': {
      path: list,
      json: z.strictObject({
        Subscribers: z.array(subscriber),
        Resubscribe: z.boolean(),
        QueueSubscriptionBasedAutoresponders: z.boolean().optional(),
        RestartSubscriptionBasedAutoresponders: z.boolean().optional(),
      }),
    },
  },
  failure: z.strictObject({ Code: z.int(), Message: z.string(), ResultData: z.unknown().optional() }),
});
