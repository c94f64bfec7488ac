import { z } from 'zod';
import { collection, id, pageQuery, timestamp } from './fields.ts';
import { defineRoute } from './route.ts';
import { SITE_PATH, siteItemParams } from './site-scope.ts';

/** What a tool can tell of a person. */
export const INBOUND_KINDS = [
  'unsubscribed',
  'complained',
  'bounced',
  'resubscribed',
  'list_unsubscribed',
  'list_subscribed',
  'group_suppressed',
  'group_unsuppressed',
  'email_changed',
] as const;

/**
 * applied: the customer is now as the tool said. kept: no customer has this email, and whoever gets it is unsubscribed.
 * ignored, failed: nothing was changed, and why.
 */
export const INBOUND_OUTCOMES = ['applied', 'kept', 'ignored', 'failed'] as const;

export const inboundEvent = z
  .object({
    id,
    at: timestamp.describe("When it happened in the tool, or when we received it if the tool doesn't say."),
    received_at: timestamp,
    kind: z.enum(INBOUND_KINDS).nullable().describe("null: we couldn't read it."),
    email: z.string().nullable(),
    customer_id: id.nullable(),
    choice_id: id.nullable().describe('The evidence of the resulting choice.'),
    outcome: z
      .enum(INBOUND_OUTCOMES)
      .describe(
        '`kept`: no customer has this email. The customer who gets it is unsubscribed, except from lists they chose later.',
      ),
    reason: z.string().nullable(),
  })
  .meta({ id: 'InboundEvent' });

export type InboundEventView = z.infer<typeof inboundEvent>;
export type InboundKind = (typeof INBOUND_KINDS)[number];
export type InboundOutcome = (typeof INBOUND_OUTCOMES)[number];

export const listInbound = defineRoute({
  method: 'GET',
  path: `${SITE_PATH}/integrations/{id}/inbound`,
  access: 'site',
  tag: 'Integrations',
  summary: 'List what a tool sent, newest first',
  params: siteItemParams,
  query: pageQuery,
  status: 200,
  response: collection(inboundEvent),
});
