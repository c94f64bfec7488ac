import { PENDING_KINDS, type PendingKind } from '#contract/pending-changes.ts';
import { idFromBytes, idToBytes } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';

/*
 * Mailed links carry an encrypted token that cannot be read or forged. The site is part of the encryption context, so a
 * link of one site is invalid on another. Opening a link changes nothing; the button on its page does.
 */

const UNDO_PURPOSE = 'address-undo-link';
const UNDO_SECONDS = 30 * 24 * 3600;
const RESTORE_PURPOSE = 'restore-link';
const RESTORE_SECONDS = 30 * 24 * 3600;
const DATA_PURPOSE = 'data-link';
const DATA_SECONDS = 24 * 3600;
const DATA_KINDS = ['download', 'erasure'] as const;

const PENDING_PURPOSE = 'pending-change-link';
const RETURN_UNDO_PURPOSE = 'return-undo-link';
const RETURN_UNDO_SECONDS = 30 * 24 * 3600;

const ID_BYTES = 16;
const NO_PAGE = Buffer.alloc(ID_BYTES);

type Keys = Pick<Services, 'keyring' | 'clock'>;

/** `expired`: made here, but too old. null: not made here. */
export type Opened<T> = T | 'expired' | null;

/** Undoes one change of one customer's address. */
export interface EmailUndoLink {
  customerId: string;
  /** The preference page that sets the design. */
  pageId: string | null;
  /** `sequence` of the choice that changed it. */
  sequence: number;
  oldEmail: string;
}

/** Restores the subscriptions that one choice of one customer ended. */
export interface RestoreLink {
  customerId: string;
  pageId: string | null;
  /** `sequence` of the choice that unsubscribed. */
  sequence: number;
}

/** Downloads or erases the personal data of one customer. */
export interface DataLink {
  kind: (typeof DATA_KINDS)[number];
  customerId: string;
  pageId: string | null;
}

/** Confirms one pending change; it ends with the change. */
export interface PendingLink {
  kind: PendingKind;
  customerId: string;
  pageId: string | null;
  pendingId: string;
  /** The hash of what the link's email says; null: the link is from before it was stored. */
  emailText: Buffer | null;
}

/** Undoes the choice that resubscribed a customer. */
export interface ResubscribeUndoLink {
  customerId: string;
  pageId: string | null;
  choiceId: string;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

const expiry = ({ clock }: Keys, seconds: number) =>
  uint32(Math.floor(clock.now().getTime() / 1000) + seconds);

const pageBytes = (pageId: string | null) => (pageId === null ? NO_PAGE : idToBytes(pageId));
const pageFrom = (bytes: Buffer) => (bytes.equals(NO_PAGE) ? null : idFromBytes(bytes));

/** Layout: expiry (4 bytes), customer (16), page (16), sequence (4), old address. */
export function sealEmailUndo(keys: Keys, siteId: string, link: EmailUndoLink): string {
  const plain = Buffer.concat([
    expiry(keys, UNDO_SECONDS),
    idToBytes(link.customerId),
    pageBytes(link.pageId),
    uint32(link.sequence),
    Buffer.from(link.oldEmail, 'utf8'),
  ]);
  return keys.keyring.seal(UNDO_PURPOSE, plain, idToBytes(siteId));
}

function openLink(keys: Keys, purpose: string, siteId: string, sealed: string): Opened<Buffer> {
  const plain = keys.keyring.open(purpose, sealed, idToBytes(siteId));
  if (plain === null) return null;
  return plain.readUInt32BE(0) <= keys.clock.now().getTime() / 1000 ? 'expired' : plain.subarray(4);
}

export function openEmailUndo(keys: Keys, siteId: string, sealed: string): Opened<EmailUndoLink> {
  const plain = openLink(keys, UNDO_PURPOSE, siteId, sealed);
  if (plain === null || plain === 'expired') return plain;
  return {
    customerId: idFromBytes(plain.subarray(0, 16)),
    pageId: pageFrom(plain.subarray(16, 32)),
    sequence: plain.readUInt32BE(32),
    oldEmail: plain.subarray(36).toString('utf8'),
  };
}

/** Layout: expiry (4 bytes), customer (16), page (16), sequence (4). */
export function sealRestore(keys: Keys, siteId: string, link: RestoreLink): string {
  const plain = Buffer.concat([
    expiry(keys, RESTORE_SECONDS),
    idToBytes(link.customerId),
    pageBytes(link.pageId),
    uint32(link.sequence),
  ]);
  return keys.keyring.seal(RESTORE_PURPOSE, plain, idToBytes(siteId));
}

export function openRestore(keys: Keys, siteId: string, sealed: string): Opened<RestoreLink> {
  const plain = openLink(keys, RESTORE_PURPOSE, siteId, sealed);
  if (plain === null || plain === 'expired') return plain;
  return {
    customerId: idFromBytes(plain.subarray(0, 16)),
    pageId: pageFrom(plain.subarray(16, 32)),
    sequence: plain.readUInt32BE(32),
  };
}

/** Layout: expiry (4 bytes), kind (1), customer (16), page (16). */
export function sealDataLink(keys: Keys, siteId: string, link: DataLink): string {
  const plain = Buffer.concat([
    expiry(keys, DATA_SECONDS),
    Buffer.from([DATA_KINDS.indexOf(link.kind)]),
    idToBytes(link.customerId),
    pageBytes(link.pageId),
  ]);
  return keys.keyring.seal(DATA_PURPOSE, plain, idToBytes(siteId));
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

/** Layout: expiry (4 bytes), kind (1), customer (16), page (16), pending change (16), hash of the email's text (32 or none). */
export function sealPendingLink(keys: Keys, siteId: string, link: PendingLink & { expiresAt: Date }): string {
  const plain = Buffer.concat([
    uint32(Math.floor(link.expiresAt.getTime() / 1000)),
    Buffer.from([PENDING_KINDS.indexOf(link.kind)]),
    idToBytes(link.customerId),
    pageBytes(link.pageId),
    idToBytes(link.pendingId),
    link.emailText ?? Buffer.alloc(0),
  ]);
  return keys.keyring.seal(PENDING_PURPOSE, plain, idToBytes(siteId));
}

export function openPendingLink(keys: Keys, siteId: string, sealed: string): Opened<PendingLink> {
  const plain = openLink(keys, PENDING_PURPOSE, siteId, sealed);
  if (plain === null || plain === 'expired') return plain;
  const kind = PENDING_KINDS[plain.readUInt8(0)];
  if (kind === undefined) return null;
  return {
    kind,
    customerId: idFromBytes(plain.subarray(1, 17)),
    pageId: pageFrom(plain.subarray(17, 33)),
    pendingId: idFromBytes(plain.subarray(33, 49)),
    emailText: plain.length > 49 ? plain.subarray(49) : null,
  };
}

/** Layout: expiry (4 bytes), customer (16), page (16), choice (16). */
export function sealResubscribeUndo(keys: Keys, siteId: string, link: ResubscribeUndoLink): string {
  const plain = Buffer.concat([
    expiry(keys, RETURN_UNDO_SECONDS),
    idToBytes(link.customerId),
    pageBytes(link.pageId),
    idToBytes(link.choiceId),
  ]);
  return keys.keyring.seal(RETURN_UNDO_PURPOSE, plain, idToBytes(siteId));
}

export function openResubscribeUndo(keys: Keys, siteId: string, sealed: string): Opened<ResubscribeUndoLink> {
  const plain = openLink(keys, RETURN_UNDO_PURPOSE, siteId, sealed);
  if (plain === null || plain === 'expired') return plain;
  return {
    customerId: idFromBytes(plain.subarray(0, 16)),
    pageId: pageFrom(plain.subarray(16, 32)),
    choiceId: idFromBytes(plain.subarray(32, 48)),
  };
}
