import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { ChoiceEvent, ChoiceSource } from '#contract/choices.ts';
import type { ChoiceRow } from '#server/features/choices/choices.sql.ts';
import { openPerson } from '#server/features/choices/evidence.ts';
import type { OutboundRequest } from '#server/platform/outbound.ts';
import { openText, sealText } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';

const PURPOSE = 'webhook-secret';

/** Design section 6: two secrets are valid during a rotation. */
const OLD_SECRET_HOURS = 24;

interface SigningSecrets {
  current: string;
  old: { secret: string; valid_until: string } | null;
}

/** A new secret by the Standard Webhooks specification: 24 to 64 random bytes, base64, prefixed. */
function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

export function makeSecrets(services: Services): { sealed: string; secret: string } {
  const secret = newSecret();
  return {
    secret,
    sealed: sealText(services.keyring, PURPOSE, JSON.stringify({ current: secret, old: null })),
  };
}

function openSecrets(services: Services, sealed: string): SigningSecrets {
  const text = openText(services.keyring, PURPOSE, sealed);
  if (text === null)
    throw new Error('The signing secret was sealed with a key that SECRET_KEY no longer holds');
  return JSON.parse(text) as SigningSecrets;
}

export function rotateSecrets(services: Services, sealed: string): { sealed: string; secret: string } {
  const { current } = openSecrets(services, sealed);
  const secret = newSecret();
  const validUntil = new Date(services.clock.now().getTime() + OLD_SECRET_HOURS * 3_600_000).toISOString();
  const secrets: SigningSecrets = { current: secret, old: { secret: current, valid_until: validUntil } };
  return { secret, sealed: sealText(services.keyring, PURPOSE, JSON.stringify(secrets)) };
}

function validSecrets(services: Services, sealed: string): string[] {
  const { current, old } = openSecrets(services, sealed);
  const oldIsValid = old !== null && new Date(old.valid_until) > services.clock.now();
  return oldIsValid ? [current, old.secret] : [current];
}

/** What a webhook carries (design section 2). */
export function webhookMessage(input: {
  siteId: string;
  event: ChoiceEvent;
  occurredAt: Date;
  customer: { id: string; email: string | null };
  lists: readonly { list_id: string; name: string; subscribed: boolean }[];
  globalUnsubscribe: boolean;
  /** Left for a time only. */
  pausedUntil: Date | null;
  source: ChoiceSource;
  sequence: number;
}) {
  return {
    type: input.event,
    timestamp: input.occurredAt.toISOString(),
    data: {
      site: input.siteId,
      customer: input.customer,
      lists: input.lists.map((list) => ({ id: list.list_id, name: list.name, subscribed: list.subscribed })),
      global_unsubscribe: input.globalUnsubscribe,
      paused_until: input.pausedUntil?.toISOString() ?? null,
      source: input.source,
      sequence: input.sequence,
    },
  };
}

/** The body for a choice, the same in every attempt. */
export function webhookBody(
  services: Services,
  siteId: string,
  event: ChoiceEvent,
  choice: ChoiceRow,
): string {
  return JSON.stringify(
    webhookMessage({
      siteId,
      event,
      occurredAt: choice.occurred_at,
      customer: { id: choice.customer_id, email: openPerson(services.keyring, choice)?.email ?? null },
      lists: choice.lists,
      globalUnsubscribe: choice.global_unsubscribe,
      pausedUntil: choice.paused_until,
      source: choice.source,
      sequence: choice.sequence,
    }),
  );
}

/**
 * A signed request by the Standard Webhooks specification.
 * @param messageId the delivery's id, the same in every attempt
 */
export function webhookRequest(
  services: Services,
  input: { url: string; secretsSealed: string; messageId: string; body: string },
): OutboundRequest {
  const now = services.clock.now();
  const signatures = validSecrets(services, input.secretsSealed).map((secret) =>
    new Webhook(secret).sign(input.messageId, now, input.body),
  );
  return {
    method: 'POST',
    url: input.url,
    headers: {
      'content-type': 'application/json',
      'webhook-id': input.messageId,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': signatures.join(' '),
    },
    body: input.body,
  };
}
