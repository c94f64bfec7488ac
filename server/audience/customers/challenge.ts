import { CHALLENGE_LENGTH, challengeIn } from '#contract/pasted-links.ts';
import { idFromBytes, idToBytes } from '#server/platform/ids.ts';
import { equalBytes, fromBase64url, type Keyring, sign } from '#server/platform/secrets.ts';

const VERSION = 2;
/** Its challenges carry no day of issue; they lie in mailboxes for years. */
const FIRST_VERSION = 1;
const DAY_MS = 86_400_000;
/** As many as fit in their two bytes; after the last comes the first. */
export const LINK_GENERATIONS = 0x1_0000;
const PURPOSES = ['manage', 'leave'] as const;
const MAC_BYTES = 16;
const BODY_BYTES = 1 + 2 + 1 + 16 + 16 + 4 + 16;
const NO_LIST = Buffer.alloc(16);
const NOT_SAID = Buffer.alloc(4);

/** What a personal link proves. It names no address and fits in 100 characters. */
export interface Challenge {
  purpose: (typeof PURPOSES)[number];
  siteId: string;
  customerId: string;
  /** The day it was made, in days since 1970-01-01 (UTC); 0 where it does not say so. */
  issuedOn: number;
  /** The customer's link generation when it was made: ending their links begins the next one. */
  generation: number;
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
 * Layout: version (1 byte), key id (2), purpose (1), site (16), customer (16), link generation (2), day (2), list (16, zero
 * for none), HMAC-SHA256 cut to 128 bits (16): 96 characters in base64url.
 */
export function makeChallenge(keyring: Keyring, challenge: Challenge): string {
  const { id, key } = keyring.derive(keyName(challenge.siteId));
  const issued = Buffer.alloc(4);
  issued.writeUInt16BE(challenge.generation, 0);
  issued.writeUInt16BE(challenge.issuedOn, 2);
  const body = Buffer.concat([
    Buffer.from([VERSION]),
    id,
    Buffer.from([PURPOSES.indexOf(challenge.purpose)]),
    idToBytes(challenge.siteId),
    idToBytes(challenge.customerId),
    issued,
    challenge.listId === null ? NO_LIST : idToBytes(challenge.listId),
  ]);
  return Buffer.concat([body, sign(key, body, MAC_BYTES)]).toString('base64url');
}

/** @param pasted the challenge as people and mail programs pass it on. null for anything that these keys did not sign. */
export function readChallenge(keyring: Keyring, pasted: string): Challenge | null {
  const text = challengeIn(pasted);
  if (text.length !== CHALLENGE_LENGTH) return null;
  const bytes = fromBase64url(text);
  if (bytes === null) return null;
  const body = bytes.subarray(0, BODY_BYTES);
  const version = body.readUInt8(0);
  const purpose = PURPOSES[body.readUInt8(3)];
  const isOurs = version === VERSION || version === FIRST_VERSION;
  if (bytes.length !== BODY_BYTES + MAC_BYTES || !isOurs || purpose === undefined) return null;
  const siteId = idFromBytes(body.subarray(4, 20));
  const key = keyring.deriveById(keyName(siteId), body.subarray(1, 3));
  if (key === null || !equalBytes(sign(key, body, MAC_BYTES), bytes.subarray(BODY_BYTES))) return null;
  const list = body.subarray(40, 56);
  // The first version had something else in these bytes.
  const issued = version === FIRST_VERSION ? NOT_SAID : body.subarray(36, 40);
  return {
    purpose,
    siteId,
    customerId: idFromBytes(body.subarray(20, 36)),
    issuedOn: issued.readUInt16BE(2),
    generation: issued.readUInt16BE(0),
    listId: list.equals(NO_LIST) ? null : idFromBytes(list),
  };
}
