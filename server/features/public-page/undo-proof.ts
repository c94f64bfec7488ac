import { idFromBytes, idToBytes } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';

const PURPOSE = 'leave-undo';
const LIFETIME_SECONDS = 3600;
const NO_LIST = Buffer.alloc(16);

/** What a person just left by a link, and may take back from the page that said so. */
export interface UndoProof {
  customerId: string;
  listId: string | null;
}

/** Only the answer to a leave holds it: the link itself must not be able to subscribe anybody again. */
export function sealUndo(
  { keyring, clock }: Services,
  siteId: string,
  { customerId, listId }: UndoProof,
): string {
  const expiry = Buffer.alloc(4);
  expiry.writeUInt32BE(Math.floor(clock.now().getTime() / 1000) + LIFETIME_SECONDS);
  const list = listId === null ? NO_LIST : idToBytes(listId);
  return keyring
    .seal(PURPOSE, Buffer.concat([idToBytes(customerId), list, expiry]), idToBytes(siteId))
    .toString('base64url');
}

/** null for anything forged, of another site, or older than an hour */
export function openUndo({ keyring, clock }: Services, siteId: string, sealed: string): UndoProof | null {
  const plain = keyring.open(PURPOSE, Buffer.from(sealed, 'base64url'), idToBytes(siteId));
  if (plain === null || plain.readUInt32BE(32) <= clock.now().getTime() / 1000) return null;
  const list = plain.subarray(16, 32);
  return {
    customerId: idFromBytes(plain.subarray(0, 16)),
    listId: list.equals(NO_LIST) ? null : idFromBytes(list),
  };
}
