import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { InboundEvent, InboundRequest } from '#server/connectors/connector.ts';
import { dateOf } from '#server/connectors/timestamps.ts';
import { eventIdOf, readEach, readWebhook } from '#server/connectors/webhooks.ts';

const number = z.union([z.number(), z.string().regex(/^\d+$/).transform(Number)]);

const notice = z.object({
  event: z.string(),
  email: z.string().nullish(),
  camp_id: z.union([z.number(), z.string()]).nullish().catch(null),
  list_id: z
    .union([z.array(number), number.transform((id) => [id])])
    .nullish()
    .catch(null),
  content: z.array(z.record(z.string(), z.unknown())).nullish().catch(null),
  ts_event: number.nullish().catch(null),
  ts: number.nullish().catch(null),
});

type Notice = z.infer<typeof notice>;

const body = z.union([z.array(z.unknown()), z.looseObject({}).transform((one) => [one])]);

const REFUSAL = "This isn't a Brevo webhook.";

// Other names than those that a webhook is registered for.
const KIND_OF: Readonly<Record<string, InboundEvent['kind']>> = {
  unsubscribe: 'unsubscribed',
  unsubscribed: 'unsubscribed',
  spam: 'complained',
  hard_bounce: 'bounced',
};

/** Brevo signs nothing; it sends the token that the webhook was made with. */
export function isGenuine({ headers }: InboundRequest, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return secret !== '' && timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${secret}`));
}

export function parseEvents(request: InboundRequest): InboundEvent[] {
  return readEach(notice, readWebhook(body, request, REFUSAL), REFUSAL).flatMap(eventsOf);
}

/** What is of no concern, as a deleted contact, gives none. */
function eventsOf(told: Notice): InboundEvent[] {
  const seconds = told.ts_event ?? told.ts ?? null;
  const common = {
    id: idOf(told),
    at: seconds === null ? null : dateOf(seconds * 1000),
    email: told.email ?? null,
  };
  const kind = KIND_OF[told.event];
  if (kind !== undefined) return [{ ...common, kind }];
  if (told.event === 'list_addition') {
    return (told.list_id ?? []).map((list) => ({
      ...common,
      id: `${common.id}:${list}`,
      kind: 'list_subscribed',
      resource: String(list),
    }));
  }
  const newEmail = told.event === 'contact_updated' ? newEmailOf(told) : null;
  return newEmail === null ? [] : [{ ...common, kind: 'email_changed', newEmail }];
}

/** Where the notice has the new address for `email` already, the old one is not told and nothing can be said. */
function newEmailOf({ email, content }: Notice): string | null {
  const changed = content?.map((fields) => fields.EMAIL).find((value) => typeof value === 'string');
  if (changed === undefined || email === null || email === undefined) return null;
  return changed.toLowerCase() === email.toLowerCase() ? null : changed;
}

/** The id in a notice is the webhook's; `ts` of what happened in a campaign is the time of sending. */
function idOf({ event, email, camp_id, list_id, content, ts_event, ts }: Notice): string {
  return eventIdOf([event, email, camp_id, list_id, content, ts_event ?? ts]);
}
