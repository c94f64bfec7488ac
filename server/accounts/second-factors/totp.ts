import { Secret, TOTP } from 'otpauth';
import { idToBytes } from '#server/platform/ids.ts';
import { reencryptText } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import type { TotpRow } from './second-factors.sql.ts';

export { replaceTotpSecret, staleTotpSecrets } from './second-factors.sql.ts';

const PURPOSE = 'totp-secret';
const PERIOD_SECONDS = 30;
/** RFC 6238: as long as the hash. */
const SECRET_BYTES = 20;

type Sealing = Pick<Services, 'keyring'>;

function totpOf(secret: string, label = ''): TOTP {
  return new TOTP({
    issuer: 'Sayso',
    label,
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_SECONDS,
    secret: Secret.fromBase32(secret),
  });
}

/** @param account its label in the authenticator app */
export function newTotp(account: string): { secret: string; uri: string } {
  const secret = new Secret({ size: SECRET_BYTES }).base32;
  return { secret, uri: totpOf(secret, account).toString() };
}

/** @returns the time step of the code, at most one away from the current one; null: the code is wrong */
export function stepOf(secret: string, code: string, now: Date): number | null {
  const timestamp = now.getTime();
  const delta = totpOf(secret).validate({ token: code, timestamp, window: 1 });
  return delta === null ? null : Math.floor(timestamp / 1000 / PERIOD_SECONDS) + delta;
}

/** Bound to its account: it cannot be decrypted in another row. */
export function sealTotpSecret({ keyring }: Sealing, userId: string, secret: string): string {
  return keyring.seal(PURPOSE, Buffer.from(secret, 'utf8'), idToBytes(userId));
}

/** null: it cannot be decrypted (any more) */
export function openTotpSecret(
  { keyring }: Sealing,
  { user_id, secret_sealed }: Pick<TotpRow, 'user_id' | 'secret_sealed'>,
): string | null {
  const plain = keyring.open(PURPOSE, secret_sealed, idToBytes(user_id));
  return plain?.toString('utf8') ?? null;
}

export function reencryptTotpSecret(
  { keyring }: Sealing,
  { user_id, secret_sealed }: Pick<TotpRow, 'user_id' | 'secret_sealed'>,
): string | null {
  return reencryptText(keyring, PURPOSE, secret_sealed, idToBytes(user_id));
}
