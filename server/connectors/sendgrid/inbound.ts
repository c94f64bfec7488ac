import { createPublicKey, verify } from 'node:crypto';
import { z } from 'zod';
import { ConnectorError, type InboundEvent, type InboundRequest } from '#server/connectors/connector.ts';
import { readWebhook } from '#server/connectors/webhooks.ts';

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

const batch = z.array(z.looseObject({ event: z.string() }));

const common = { email: z.string(), timestamp: z.number(), sg_event_id: z.string() };
const ofGroup = { ...common, asm_group_id: z.number().int() };

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
  return {
    id: told.sg_event_id,
    at: new Date(told.timestamp * 1000),
    email: told.email,
    kind: KINDS[told.event],
    ...('asm_group_id' in told && { resource: String(told.asm_group_id) }),
  };
}

const REFUSAL = "This isn't a SendGrid event webhook.";

export function parse(request: InboundRequest): InboundEvent[] {
  const told = readWebhook(batch, request, REFUSAL).filter(({ event: kind }) => kind in KINDS);
  const wanted = z.array(event).safeParse(told);
  if (!wanted.success) throw new ConnectorError('refused', REFUSAL);
  // A blocked mail is put off, and says nothing about the address.
  return wanted.data.filter((one) => one.event !== 'bounce' || one.type !== 'blocked').map(eventOf);
}
