import { createPublicKey, verify } from 'node:crypto';
import { z } from 'zod';
import type { InboundEvent, InboundRequest } from '#server/connectors/connector.ts';
import { dateOf } from '#server/connectors/timestamps.ts';
import { eventIdOf, readEach, readWebhook } from '#server/connectors/webhooks.ts';

/** SendGrid tries again for 24 hours, maybe with the first time of sending. */
const MAX_AGE_SECONDS = 25 * 60 * 60;
const MAX_AHEAD_SECONDS = 10 * 60;

/** @param publicKey as SendGrid shows it: the key's SPKI in base64 */
export function isGenuine({ headers, rawBody }: InboundRequest, publicKey: string, now: Date): boolean {
  const signature = headers['x-twilio-email-event-webhook-signature'] ?? '';
  const timestamp = headers['x-twilio-email-event-webhook-timestamp'] ?? '';
  if (signature === '' || !/^\d{1,12}$/.test(timestamp)) return false;
  const age = now.getTime() / 1000 - Number(timestamp);
  if (age > MAX_AGE_SECONDS || age < -MAX_AHEAD_SECONDS) return false;
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
    const signed = Buffer.concat([Buffer.from(timestamp), rawBody]);
    return key.asymmetricKeyType === 'ec' && verify('sha256', signed, key, Buffer.from(signature, 'base64'));
  } catch {
    return false;
  }
}

const batch = z.array(z.unknown());

/** An event counts if it says who did what, whatever is wrong with the rest of it. */
const common = {
  email: z.string(),
  timestamp: z.number().nullish().catch(null),
  sg_event_id: z.string().nullish().catch(null),
};
const ofGroup = { ...common, asm_group_id: z.coerce.number().int() };

// Not `dropped`: it tells of an earlier opt-out, at a time when the person may have come back already.
const event = z.discriminatedUnion('event', [
  z.object({ event: z.literal('unsubscribe'), ...common }),
  z.object({ event: z.literal('spamreport'), ...common }),
  z.object({ event: z.literal('bounce'), ...common, type: z.string().optional() }),
  z.object({ event: z.literal('group_unsubscribe'), ...ofGroup }),
  z.object({ event: z.literal('group_resubscribe'), ...ofGroup }),
]);

const KINDS = {
  unsubscribe: 'unsubscribed',
  spamreport: 'complained',
  bounce: 'bounced',
  group_unsubscribe: 'group_suppressed',
  group_resubscribe: 'group_unsuppressed',
} as const;

function eventOf(told: z.infer<typeof event>): InboundEvent {
  const { email, timestamp, sg_event_id: id } = told;
  return {
    id: id ?? eventIdOf([told]),
    at: typeof timestamp === 'number' ? dateOf(timestamp * 1000) : null,
    email,
    kind: KINDS[told.event],
    ...('asm_group_id' in told && { resource: String(told.asm_group_id) }),
  };
}

const kindOf = (told: unknown) =>
  typeof told === 'object' && told !== null && 'event' in told ? String(told.event) : null;

const REFUSAL = "This isn't a SendGrid event webhook.";

export function parse(request: InboundRequest): InboundEvent[] {
  const told = readWebhook(batch, request, REFUSAL);
  const wanted = told.filter((one) => kindOf(one) === null || Object.hasOwn(KINDS, kindOf(one) ?? ''));
  // A blocked mail is put off, and says nothing about the address.
  return readEach(event, wanted, REFUSAL)
    .filter((one) => one.event !== 'bounce' || one.type !== 'blocked')
    .map(eventOf);
}
