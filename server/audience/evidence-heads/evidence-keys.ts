import type { Services } from '#server/platform/services.ts';
import { allKeys, insertKey } from './evidence-keys.sql.ts';
import { jwkOf, type PublicJwk, publicKeysOf } from './signing.ts';

/** Every public key that this installation has ever signed with, newest first: those of today, then older ones. */
export async function evidenceKeys({
  database,
  keyring,
}: Pick<Services, 'database' | 'keyring'>): Promise<PublicJwk[]> {
  const current = publicKeysOf(keyring);
  const stored = (await allKeys(database.global)).map((row) => jwkOf(row.public_key)).toReversed();
  return [...current, ...stored.filter(({ kid }) => !current.some((key) => key.kid === kid))];
}

/** Stores today's public keys, so that they stay public when their secret key has been taken away. */
export async function storeEvidenceKeys({
  database,
  keyring,
  clock,
}: Pick<Services, 'database' | 'keyring' | 'clock'>): Promise<void> {
  const stored = new Set((await allKeys(database.global)).map(({ kid }) => kid));
  for (const { kid, x } of publicKeysOf(keyring)) {
    if (stored.has(kid)) continue;
    await insertKey(database.global, {
      kid,
      public_key: Buffer.from(x, 'base64url'),
      created_at: clock.now(),
    });
  }
}
