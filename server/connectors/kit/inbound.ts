import { z } from 'zod';
import { equalBytes, sign } from '#server/platform/secrets.ts';
import type { Inbound, InboundEvent, InboundRequest } from '../connector.ts';
import { dateOf } from '../timestamps.ts';
import { eventIdOf, readEach, readWebhook } from '../webhooks.ts';
import { places } from './webhook.ts';

const TOLERANCE_SECONDS = 300;

/** `t=<seconds>,v1=<hex>`; while a secret is being replaced there is a v1 for each. */
function isGenuine({ headers, rawBody }: InboundRequest, secret: string, now: Date): boolean {
  const parts = (headers['x-kit-signature'] ?? '').split(',').map((part) => part.trim());
  const seconds = parts.find((part) => part.startsWith('t='))?.slice(2) ?? '';
  if (secret === '' || !/^\d{1,12}$/.test(seconds)) return false;
  if (Math.abs(now.getTime() / 1000 - Number(seconds)) > TOLERANCE_SECONDS) return false;
  const expected = sign(Buffer.from(secret), Buffer.concat([Buffer.from(`${seconds}.`), rawBody]));
  return parts
    .filter((part) => part.startsWith('v1='))
    .some((part) => equalBytes(Buffer.from(part.slice(3), 'hex'), expected));
}

const KINDS: Partial<Record<string, InboundEvent['kind']>> = {
  'subscriber.unsubscribed': 'unsubscribed',
  'subscriber.complained': 'complained',
  'subscriber.bounced': 'bounced',
};

const delivery = z.object({ events: z.array(z.unknown()) });

const ofAnyKind = z.object({ type: z.string() });

const aboutSubscriber = z.object({
  id: z.string().nullish().catch(null),
  type: z.string(),
  created: z.string().nullish().catch(null),
  data: z.object({ subscriber: z.object({ email_address: z.string() }) }),
});

const REFUSAL = "This isn't a ConvertKit webhook.";

function parse(request: InboundRequest): InboundEvent[] {
  const told = readWebhook(delivery, request, REFUSAL).events;
  const wanted = told.filter((one) => {
    const type = ofAnyKind.safeParse(one).data?.type;
    return type === undefined || KINDS[type] !== undefined;
  });
  return readEach(aboutSubscriber, wanted, REFUSAL).flatMap((one) => {
    const { id, type, created, data } = one;
    const kind = KINDS[type];
    if (kind === undefined) return [];
    const email = data.subscriber.email_address;
    return [{ id: id ?? eventIdOf([one]), at: dateOf(created), email, kind }];
  });
}

export const inbound: Inbound = {
  kind: 'webhook',
  secret: 'needed',
  setup:
    'In ConvertKit, create a webhook endpoint with this URL and the events subscriber.unsubscribed, subscriber.complained and subscriber.bounced. ConvertKit shows its secret once: enter it here.',
  places,
  isGenuine,
  parse,
};
