import { z } from 'zod';
import { equalBytes, sign } from '#server/platform/secrets.ts';
import { ConnectorError, type Inbound, type InboundEvent, type InboundRequest } from '../connector.ts';
import { dateOf } from '../timestamps.ts';
import { readWebhook } from '../webhooks.ts';

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

const delivery = z.object({
  events: z.array(z.object({ id: z.string(), type: z.string(), created: z.string(), data: z.unknown() })),
});

const aboutSubscriber = z.object({ subscriber: z.object({ email_address: z.string() }) });

const REFUSAL = "This isn't a ConvertKit webhook.";

function parse(request: InboundRequest): InboundEvent[] {
  return readWebhook(delivery, request, REFUSAL).events.flatMap(({ id, type, created, data }) => {
    const kind = KINDS[type];
    if (kind === undefined) return [];
    const about = aboutSubscriber.safeParse(data);
    if (!about.success) throw new ConnectorError('refused', REFUSAL);
    return [{ id, at: dateOf(created), email: about.data.subscriber.email_address, kind }];
  });
}

export const inbound: Inbound = {
  kind: 'webhook',
  secret: 'needed',
  setup:
    'In ConvertKit, create a webhook endpoint with this URL and the events subscriber.unsubscribed, subscriber.complained and subscriber.bounced. ConvertKit shows its secret once: enter it here.',
  isGenuine,
  parse,
};
