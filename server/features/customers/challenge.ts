import { idFromBytes, idToBytes } from '#server/platform/ids.ts';
import { equalBytes, type Keyring, sign } from '#server/platform/secrets.ts';

const VERSION = 2;
/** Its challenges carry no day of issue; they lie in mailboxes for years. */
const FIRST_VERSION = 1;
const DAY_MS = 86_400_000;
const PURPOSES = ['manage', 'leave'] as const;
const MAC_BYTES = 16;
const BODY_BYTES = 1 + 2 + 1 + 16 + 16 + 4 + 16;
const NO_LIST = Buffer.alloc(16);

/** What a personal link proves. It names no address and fits in 100 characters. */
export interface Challenge {
  purpose: (typeof PURPOSES)[number];
  siteId: string;
  customerId: string;
  /** The day it was made, in days since 1970-01-01 (UTC); 0 where it does not say so. */
  issuedOn: number;
  /** The list that a `leave` link leaves; null: everything. */
  listId: string | null;
}

/** The day of a moment, as a challenge carries it. */
export function dayOf(at: Date): number {
  return Math.floor(at.getTime() / DAY_MS);
}

function keyName(siteId: string): string {
  return `challenge:${siteId}`;
}

/**
 * Layout: version (1 byte), key id (2), purpose (1), site (16), customer (16), day (4), list (16, zero for none),
 * HMAC-SHA256 cut to 128 bits (16): 96 characters in base64url.
 */
export function makeChallenge(keyring: Keyring, challenge: Challenge): string {
  const { id, key } = keyring.derive(keyName(challenge.siteId));
  const issuedOn = Buffer.alloc(4);
  issuedOn.writeUInt32BE(challenge.issuedOn);
  const body = Buffer.concat([
    Buffer.from([VERSION]),
    id,
    Buffer.from([PURPOSES.indexOf(challenge.purpose)]),
    idToBytes(challenge.siteId),
    idToBytes(challenge.customerId),
    issuedOn,
    challenge.listId === null ? NO_LIST : idToBytes(challenge.listId),
  ]);
  return Buffer.concat([body, sign(key, body, MAC_BYTES)]).toString('base64url');
}

/** null for anything that these keys did not sign. */
export function readChallenge(keyring: Keyring, text: string): Challenge | null {
  if (!/^[\w-]{96}$/.test(text)) return null;
  const bytes = Buffer.from(text, 'base64url');
  const body = bytes.subarray(0, BODY_BYTES);
  const version = body.readUInt8(0);
  const purpose = PURPOSES[body.readUInt8(3)];
  const isOurs = version === VERSION || version === FIRST_VERSION;
  if (bytes.length !== BODY_BYTES + MAC_BYTES || !isOurs || purpose === undefined) return null;
  const siteId = idFromBytes(body.subarray(4, 20));
  const key = keyring.deriveById(keyName(siteId), body.subarray(1, 3));
  if (key === null || !equalBytes(sign(key, body, MAC_BYTES), bytes.subarray(BODY_BYTES))) return null;
  const list = body.subarray(40, 56);
  return {
    purpose,
    siteId,
    customerId: idFromBytes(body.subarray(20, 36)),
    // The first version had something else in these bytes.
    issuedOn: version === FIRST_VERSION ? 0 : body.readUInt32BE(36),
    listId: list.equals(NO_LIST) ? null : idFromBytes(list),
  };
}
