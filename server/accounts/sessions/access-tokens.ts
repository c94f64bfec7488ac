import { decodeProtectedHeader, jwtVerify, SignJWT } from 'jose';
import { fromBase64url, type Keyring } from '#server/platform/secrets.ts';

/** Design section 5. */
export const ACCESS_TOKEN_SECONDS = 600;

const PURPOSE = 'access-token';

export interface AccessClaims {
  userId: string;
  /** The session: the family of refresh tokens it belongs to. */
  familyId: string;
}

export async function issueAccessToken(keyring: Keyring, claims: AccessClaims, now: Date): Promise<string> {
  const { id, key } = keyring.derive(PURPOSE);
  const seconds = Math.floor(now.getTime() / 1000);
  return new SignJWT({ fam: claims.familyId })
    .setProtectedHeader({ alg: 'HS256', kid: id.toString('hex') })
    .setSubject(claims.userId)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + ACCESS_TOKEN_SECONDS)
    .sign(key);
}

/** null if it was not signed with these keys, or has expired. */
export async function readAccessToken(
  keyring: Keyring,
  token: string,
  now: Date,
): Promise<AccessClaims | null> {
  // Its signature isn't signed itself: a part spelled differently would pass.
  if (token.split('.').some((part) => fromBase64url(part) === null)) return null;
  try {
    const { kid } = decodeProtectedHeader(token);
    const key = keyring.deriveById(PURPOSE, Buffer.from(kid ?? '', 'hex'));
    if (key === null) return null;
    const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'], currentDate: now });
    if (typeof payload.sub !== 'string' || typeof payload['fam'] !== 'string') return null;
    return { userId: payload.sub, familyId: payload['fam'] };
  } catch {
    return null;
  }
}
