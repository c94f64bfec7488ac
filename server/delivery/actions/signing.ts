import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { idToBytes } from '#server/platform/ids.ts';
import type { OutboundRequest } from '#server/platform/outbound.ts';
import { openText, reencryptText, type SealedRow } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';

const PURPOSE = 'action-signing-secret';
/** Of secrets from before they were bound to their row; they are bound when they are sealed again. */
const UNBOUND_PURPOSE = 'webhook-secret';

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

/** The action whose secrets they are. Moved to another row they do not open. */
export interface Signer {
  site_id: string;
  id: string;
  secrets_sealed: string | null;
}

const contextOf = ({ site_id, id }: Pick<Signer, 'site_id' | 'id'>) =>
  Buffer.concat([idToBytes(site_id), idToBytes(id)]);

function encryptSecrets(
  { keyring }: Pick<Services, 'keyring'>,
  owner: Pick<Signer, 'site_id' | 'id'>,
  secrets: SigningSecrets,
): string {
  const plain = Buffer.from(JSON.stringify(secrets), 'utf8');
  return keyring.seal(PURPOSE, plain, contextOf(owner));
}

export function makeSecrets(
  services: Services,
  owner: Pick<Signer, 'site_id' | 'id'>,
): { sealed: string; secret: string } {
  const secret = newSecret();
  return { secret, sealed: encryptSecrets(services, owner, { current: secret, old: null }) };
}

function decryptSecrets({ keyring }: Pick<Services, 'keyring'>, signer: Signer): SigningSecrets {
  const sealed = signer.secrets_sealed ?? '';
  const plain = keyring.open(PURPOSE, sealed, contextOf(signer));
  const text = plain?.toString('utf8') ?? openText(keyring, UNBOUND_PURPOSE, sealed);
  if (text === null)
    throw new Error('The signing secret was encrypted with a key that SECRET_KEY no longer has');
  return JSON.parse(text) as SigningSecrets;
}

/** With the newest key, and bound to its row; null where it cannot be opened (any more). */
export function reencryptSecrets({ keyring }: Pick<Services, 'keyring'>, row: SealedRow): string | null {
  const bound = reencryptText(keyring, PURPOSE, row.sealed, contextOf(row));
  if (bound !== null) return bound;
  const text = openText(keyring, UNBOUND_PURPOSE, row.sealed);
  return text === null ? null : encryptSecrets({ keyring }, row, JSON.parse(text) as SigningSecrets);
}

export function rotateSecrets(services: Services, signer: Signer): { sealed: string; secret: string } {
  const { current } = decryptSecrets(services, signer);
  const secret = newSecret();
  const validUntil = new Date(services.clock.now().getTime() + OLD_SECRET_HOURS * 3_600_000).toISOString();
  const secrets: SigningSecrets = { current: secret, old: { secret: current, valid_until: validUntil } };
  return { secret, sealed: encryptSecrets(services, signer, secrets) };
}

type Signing = Pick<Services, 'keyring' | 'clock'>;

function validSecrets(services: Signing, signer: Signer): string[] {
  const { current, old } = decryptSecrets(services, signer);
  const oldIsValid = old !== null && new Date(old.valid_until) > services.clock.now();
  return oldIsValid ? [current, old.secret] : [current];
}

/** What is signed: the same id in every attempt, and the body as it goes out. */
interface Signable {
  signer: Signer;
  messageId: string;
  body: string;
}

/** The headers of the Standard Webhooks specification, with a signature for each valid secret. */
export function signatureHeaders(services: Signing, { signer, messageId, body }: Signable) {
  const now = services.clock.now();
  const signatures = validSecrets(services, signer).map((secret) =>
    new Webhook(secret).sign(messageId, now, body),
  );
  return {
    'webhook-id': messageId,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  };
}

/** A signed request by the Standard Webhooks specification. */
export function signedRequest(services: Signing, input: Signable & { url: string }): OutboundRequest {
  return {
    method: 'POST',
    url: input.url,
    headers: { 'content-type': 'application/json', ...signatureHeaders(services, input) },
    body: input.body,
  };
}
