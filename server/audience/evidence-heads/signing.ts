import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { Keyring } from '#server/platform/secrets.ts';

/*
 * Ed25519 keys of the installation, derived from SECRET_KEY: a restored copy with the same key signs as before, and
 * nothing secret has to be stored. The database alone is not enough to sign.
 */

/** A public key as RFC 8037 writes it. */
export interface PublicJwk {
  kty: 'OKP';
  crv: 'Ed25519';
  kid: string;
  use: 'sig';
  alg: 'EdDSA';
  x: string;
}

export interface Signer {
  key: PublicJwk;
  /** @returns 64 bytes */
  sign(text: string): Buffer;
}

const PURPOSE = 'evidence-signature';

/** What stands before the 32 bytes of an Ed25519 private key in PKCS #8 (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** @param publicKey 32 bytes */
export function jwkOf(publicKey: Buffer): PublicJwk {
  const x = publicKey.toString('base64url');
  // RFC 7638: the required members, in the order of their names.
  const kid = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
  return { kty: 'OKP', crv: 'Ed25519', kid, use: 'sig', alg: 'EdDSA', x };
}

function privateKeyOf(seed: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
}

function publicKeyOf(privateKey: KeyObject): PublicJwk {
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  return jwkOf(Buffer.from(x, 'base64url'));
}

const known = new WeakMap<Keyring, Signer>();

/** Signs with the newest key. */
export function signerOf(keyring: Keyring): Signer {
  const before = known.get(keyring);
  if (before !== undefined) return before;
  const privateKey = privateKeyOf(keyring.derive(PURPOSE).key);
  const signer: Signer = {
    key: publicKeyOf(privateKey),
    sign: (text) => sign(null, Buffer.from(text, 'utf8'), privateKey),
  };
  known.set(keyring, signer);
  return signer;
}

/** The public keys of all keys in SECRET_KEY, newest first. */
export function publicKeysOf(keyring: Keyring): PublicJwk[] {
  return keyring.deriveAll(PURPOSE).map((seed) => publicKeyOf(privateKeyOf(seed)));
}

/** @param signature 64 bytes */
export function isSignedBy({ kty, crv, x }: PublicJwk, text: string, signature: Buffer): boolean {
  const key = createPublicKey({ key: { kty, crv, x }, format: 'jwk' });
  return verify(null, Buffer.from(text, 'utf8'), key, signature);
}
