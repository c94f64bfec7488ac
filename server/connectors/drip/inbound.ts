import { z } from 'zod';
import type { InboundEvent, InboundRequest } from '#server/connectors/connector.ts';
import { dateOf } from '#server/connectors/timestamps.ts';
import { eventIdOf, readWebhook } from '#server/connectors/webhooks.ts';

/** Drip signs nothing; what it sends is known only by the secret path. */
export function isGenuine(): boolean {
  return true;
}

const delivery = z.object({
  event: z.string(),
  data: z.object({
    subscriber: z.object({ id: z.string(), email: z.string().nullish() }),
    properties: z.record(z.string(), z.unknown()).nullish(),
  }),
  occurred_at: z.string().nullish(),
});

/**
 * A person who was deleted, or is new, or whose tags changed has said nothing about their mail. Who leaves a campaign by
 * its mails is told as `unsubscribed_from_campaign`; `removed_from_campaign` is what we, others of the API and workflows do.
 */
const KINDS: Partial<Record<string, InboundEvent['kind']>> = {
  'subscriber.unsubscribed_all': 'unsubscribed',
  'subscriber.reactivated': 'resubscribed',
  'subscriber.subscribed_to_email_marketing': 'resubscribed',
  'subscriber.unsubscribed_from_campaign': 'list_unsubscribed',
  'subscriber.subscribed_to_campaign': 'list_subscribed',
  'subscriber.bounced': 'bounced',
  'subscriber.marked_as_undeliverable': 'bounced',
  'subscriber.complained': 'complained',
  'subscriber.updated_email_address': 'email_changed',
};

/** What a webhook has to tell of. */
export const EVENTS: readonly string[] = Object.keys(KINDS);

const text = z.union([z.string(), z.number()]).transform(String).optional().catch(undefined);
const detail = z.object({ campaign_id: text, value: text, previous_value: text });

export function parse(request: InboundRequest): InboundEvent[] {
  const body = readWebhook(delivery, request, "This isn't a Drip webhook.");
  const { event, data, occurred_at: occurred } = body;
  const kind = KINDS[event];
  if (kind === undefined) return [];
  const { subscriber, properties } = data;
  const { campaign_id: campaign, value, previous_value: previous } = detail.parse(properties ?? {});
  const common: InboundEvent = {
    id: eventIdOf([event, subscriber.id, occurred, properties]),
    at: dateOf(occurred),
    email: subscriber.email ?? null,
    kind,
  };
  if (kind === 'email_changed') {
    if (value === undefined || previous === undefined) return [];
    return [{ ...common, email: previous, newEmail: value }];
  }
  if (!kind.startsWith('list_')) return [common];
  return campaign === undefined ? [] : [{ ...common, resource: campaign }];
}
