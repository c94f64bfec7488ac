import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
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

/** What is signed: the same id in every attempt, and the body as it goes out. */
interface Signable {
  secretsSealed: string;
  messageId: string;
  body: string;
}

/** The headers of the Standard Webhooks specification, with a signature for each valid secret. */
export function signatureHeaders(services: Services, { secretsSealed, messageId, body }: Signable) {
  const now = services.clock.now();
  const signatures = validSecrets(services, secretsSealed).map((secret) =>
    new Webhook(secret).sign(messageId, now, body),
  );
  return {
    'webhook-id': messageId,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  };
}

/** A signed request by the Standard Webhooks specification. */
export function signedRequest(services: Services, input: Signable & { url: string }): OutboundRequest {
  return {
    method: 'POST',
    url: input.url,
    headers: { 'content-type': 'application/json', ...signatureHeaders(services, input) },
    body: input.body,
  };
}
