import { keysFromBefore } from '#server/platform/installation.ts';
import { equalBytes, type Keyring, sign } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { allEndorsements, allKeys, insertEndorsements, insertKey, type KeyRow } from './evidence-keys.sql.ts';
import { jwkOf, type PublicJwk, publicKeysOf } from './signing.ts';

const PURPOSE = 'evidence-key-endorsement';

/** One MAC with each key of SECRET_KEY. */
function macsOf(keyring: Keyring, { kid, public_key, created_at }: KeyRow): Buffer[] {
  const text = JSON.stringify([kid, public_key.toString('base64url'), created_at.toISOString()]);
  return keyring.deriveAll(PURPOSE).map((key) => sign(key, Buffer.from(text, 'utf8')));
}

interface StoredKey {
  row: KeyRow;
  isEndorsed: boolean;
  /** Of the keys that haven't endorsed it yet. */
  missing: Buffer[];
}

/** Oldest first. */
async function storedKeys({
  database: { global },
  keyring,
}: Pick<Services, 'database' | 'keyring'>): Promise<StoredKey[]> {
  const rows = await allKeys(global);
  const endorsements = await allEndorsements(global);
  return rows.map((row) => {
    const known = endorsements.filter(({ kid }) => kid === row.kid);
    const macs = macsOf(keyring, row);
    const missing = macs.filter((mac) => !known.some((one) => equalBytes(one.mac, mac)));
    return { row, missing, isEndorsed: missing.length < macs.length };
  });
}

/**
 * Every public key that this installation has ever signed with, newest first: those of today, then older ones. Not those
 * that someone else has put into the database.
 */
export async function evidenceKeys(services: Pick<Services, 'database' | 'keyring'>): Promise<PublicJwk[]> {
  const current = publicKeysOf(services.keyring);
  const stored = (await storedKeys(services))
    .filter(({ isEndorsed }) => isEndorsed)
    .map(({ row }) => jwkOf(row.public_key))
    .toReversed();
  return [...current, ...stored.filter(({ kid }) => !current.some((key) => key.kid === kid))];
}

/**
 * Stores today's public keys, so that they stay public when their secret key has been taken away, and endorses what it
 * knows with each key of SECRET_KEY. At each start, before anything is signed.
 */
export async function storeEvidenceKeys(
  services: Pick<Services, 'database' | 'keyring' | 'clock' | 'log'>,
): Promise<void> {
  const { global } = services.database;
  const own = publicKeysOf(services.keyring);
  const kids = new Set((await allKeys(global)).map(({ kid }) => kid));
  for (const { kid, x } of own) {
    if (kids.has(kid)) continue;
    await insertKey(global, {
      kid,
      public_key: Buffer.from(x, 'base64url'),
      created_at: services.clock.now(),
    });
  }
  await endorseKeys(services, own);
}

async function endorseKeys(
  services: Pick<Services, 'database' | 'keyring' | 'log'>,
  own: readonly PublicJwk[],
): Promise<void> {
  const { log, database } = services;
  const stored = await storedKeys(services);
  // Once: the first start with endorsements endorses a key of its own, and from then on there is one.
  const isFirst = !stored.some(({ isEndorsed }) => isEndorsed);
  const before = isFirst ? await keysFromBefore(database.global) : [];
  const isOwn = ({ row }: StoredKey) =>
    own.some(({ kid, x }) => kid === row.kid && x === row.public_key.toString('base64url'));
  const others = stored.filter((key) => !key.isEndorsed && !isOwn(key));
  const takenOver = others.filter(({ row }) => before.includes(row.kid));
  const foreign = others.filter((key) => !takenOver.includes(key));
  const endorsements = stored
    .filter((key) => !foreign.includes(key))
    .flatMap(({ row: { kid }, missing }) => missing.map((mac) => ({ kid, mac })));
  if (endorsements.length > 0) await insertEndorsements(database.global, endorsements);
  const kidsOf = (keys: readonly StoredKey[]) => keys.map(({ row }) => row.kid);
  if (takenOver.length > 0)
    log.warn(
      { kids: kidsOf(takenOver) },
      'public keys of the version before were taken over without proof that they are ours: their secrets are gone',
    );
  if (foreign.length > 0)
    log.error(
      { kids: kidsOf(foreign) },
      "the table evidence_keys has keys that Sayso didn't store; they aren't published",
    );
}
