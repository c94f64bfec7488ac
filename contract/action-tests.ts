import { z } from 'zod';
import { changedList, CHOICE_EVENTS, CHOICE_SOURCES, evidence } from './choices.ts';
import { attempt } from './deliveries.ts';
import { collection, id, timestamp } from './fields.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteItemParams, siteParams } from './site-scope.ts';

const test = z.literal(true).optional().describe('Only in a test. No customer changed anything.');

/** The body of a webhook. */
export const webhookMessage = z
  .object({
    type: z.enum(CHOICE_EVENTS),
    timestamp: timestamp.describe('When the choice was made.'),
    data: z.object({
      test,
      site: id,
      customer: z.object({ id, email: z.string().nullable().describe('null for an erased customer.') }),
      lists: z
        .array(changedList.pick({ name: true, subscribed: true, declined: true }).extend({ id }))
        .describe('What changed.'),
      global_unsubscribe: z.boolean(),
      paused_until: timestamp.nullable(),
      source: z.enum(CHOICE_SOURCES),
      sequence: z.number().int().describe('Increases by one with each choice of the customer.'),
    }),
  })
  .meta({ id: 'WebhookMessage' });

/** What an action of the type `evidence` sends: as a body to an address of the web, attached to a mail otherwise. */
export const evidenceMessage = z
  .object({
    type: z.literal('evidence'),
    timestamp: timestamp.describe('When the choice was made.'),
    data: evidence
      .omit({ test: true })
      .extend({ test })
      .describe(
        "The record as `GET …/evidence/{id}` returns it, except for its `test`: what test addresses choose is never sent. `previous_hash` is the previous record's `hash`.",
      ),
  })
  .meta({ id: 'EvidenceMessage' });

export type WebhookMessage = z.infer<typeof webhookMessage>;
export type EvidenceMessage = z.infer<typeof evidenceMessage>;

export const listActionSamples = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/actions/samples`,
  access: 'site',
  tag: 'Actions',
  summary: 'Sample webhook and evidence messages, by event',
  description:
    "With a made-up customer and the site's lists. A test sends the same, with `test` in its data.",
  params: siteParams,
  status: 200,
  response: collection(
    z.object({ event: z.enum(CHOICE_EVENTS), webhook: webhookMessage, evidence: evidenceMessage }),
  ),
});

export const testAction = defineRoute({
  method: 'POST',
  path: `${SITE_PATH}/actions/{id}/test`,
  access: 'site',
  tag: 'Actions',
  summary: 'Test an action and return the response',
  description:
    'Works even while the action is off. For webhooks and evidence, it sends a made-up choice, signed like any delivery, with `"test": true` in its `data` and its own id. For an action in a tool, it needs a `customer_id` and really changes this customer there: it repeats their newest choice that the action is for, as far as it still holds, so that a test never contradicts what they chose. It never repeats a choice marked as a test, and sends nothing for a test customer. It works in test mode, too. It isn\'t listed under deliveries or counted anywhere. At most 10 a minute per action.',
  params: siteItemParams,
  query: z.strictObject({ customer_id: id.optional().describe('For an action in a tool.') }),
  status: 200,
  response: attempt.omit({ number: true, started_at: true }),
  errors: ['conflict', 'rate_limited', 'unavailable'],
});

export type ActionTest = z.infer<(typeof testAction)['response']>;
