import { idFromBytes, idToBytes } from '#server/platform/ids.ts';
import { sha256 } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';

/*
 * What the links of mails carry, sealed: nobody can read or make one. The site is sealed in as context, so that a
 * link of one site is worth nothing on another. A link says what may be asked; a button on its page does it.
 */

const UNDO_PURPOSE = 'email-undo-link';
const UNDO_SECONDS = 30 * 24 * 3600;
const DATA_PURPOSE = 'data-link';
const DATA_SECONDS = 24 * 3600;
const DATA_KINDS = ['download', 'erasure'] as const;

const ID_BYTES = 16;
const HASH_BYTES = 16;
const NO_PAGE = Buffer.alloc(ID_BYTES);

type Keys = Pick<Services, 'keyring' | 'clock'>;

/** `expired` was made here and is too old; null was not. */
export type Opened<T> = T | 'expired' | null;

/** Takes back one change of one customer's address. */
export interface EmailUndoLink {
  customerId: string;
  /** Whose look the page has. */
  pageId: string | null;
  oldEmail: string;
  /** Of the address that it was changed to; see `isNewAddressOf`. */
  newEmailHash: Buffer;
}

/** Hands out, or erases, what is held about one customer. */
export interface DataLink {
  kind: (typeof DATA_KINDS)[number];
  customerId: string;
  pageId: string | null;
}

// A plain hash is enough: it lies inside what is sealed.
function addressHash(email: string): Buffer {
  return sha256(email.toLowerCase()).subarray(0, HASH_BYTES);
}

function expiry({ clock }: Keys, seconds: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(Math.floor(clock.now().getTime() / 1000) + seconds);
  return bytes;
}

const pageBytes = (pageId: string | null) => (pageId === null ? NO_PAGE : idToBytes(pageId));
const pageFrom = (bytes: Buffer) => (bytes.equals(NO_PAGE) ? null : idFromBytes(bytes));

/** Layout: expiry (4 bytes), customer (16), page (16), hash of the new address (16), old address. */
export function sealEmailUndo(
  keys: Keys,
  siteId: string,
  link: Omit<EmailUndoLink, 'newEmailHash'> & { newEmail: string },
): string {
  const plain = Buffer.concat([
    expiry(keys, UNDO_SECONDS),
    idToBytes(link.customerId),
    pageBytes(link.pageId),
    addressHash(link.newEmail),
    Buffer.from(link.oldEmail, 'utf8'),
  ]);
  return keys.keyring.seal(UNDO_PURPOSE, plain, idToBytes(siteId)).toString('base64url');
}

function openLink(keys: Keys, purpose: string, siteId: string, sealed: string): Opened<Buffer> {
  const plain = keys.keyring.open(purpose, Buffer.from(sealed, 'base64url'), idToBytes(siteId));
  if (plain === null) return null;
  return plain.readUInt32BE(0) <= keys.clock.now().getTime() / 1000 ? 'expired' : plain.subarray(4);
}

export function openEmailUndo(keys: Keys, siteId: string, sealed: string): Opened<EmailUndoLink> {
  const plain = openLink(keys, UNDO_PURPOSE, siteId, sealed);
  if (plain === null || plain === 'expired') return plain;
  return {
    customerId: idFromBytes(plain.subarray(0, 16)),
    pageId: pageFrom(plain.subarray(16, 32)),
    newEmailHash: plain.subarray(32, 48),
    oldEmail: plain.subarray(48).toString('utf8'),
  };
}

/** Is this still the address that the link knows as the new one? */
export function isNewAddressOf(link: EmailUndoLink, email: string): boolean {
  return addressHash(email).equals(link.newEmailHash);
}

/** Layout: expiry (4 bytes), kind (1), customer (16), page (16). */
export function sealDataLink(keys: Keys, siteId: string, link: DataLink): string {
  const plain = Buffer.concat([
    expiry(keys, DATA_SECONDS),
    Buffer.from([DATA_KINDS.indexOf(link.kind)]),
    idToBytes(link.customerId),
    pageBytes(link.pageId),
  ]);
  return keys.keyring.seal(DATA_PURPOSE, plain, idToBytes(siteId)).toString('base64url');
}

export function openDataLink(keys: Keys, siteId: string, sealed: string): Opened<DataLink> {
  const plain = openLink(keys, DATA_PURPOSE, siteId, sealed);
  if (plain === null || plain === 'expired') return plain;
  const kind = DATA_KINDS[plain.readUInt8(0)];
  if (kind === undefined) return null;
  return {
    kind,
    customerId: idFromBytes(plain.subarray(1, 17)),
    pageId: pageFrom(plain.subarray(17, 33)),
  };
}
