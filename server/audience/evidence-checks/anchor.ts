import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { TenantTables } from '#db/tables.ts';
import { equalBytes, type Keyring, sign } from '#server/platform/secrets.ts';

/*
 * Who owns the database can rewrite a chain from some record on, head included. What they cannot do without the
 * product's key is to make an anchor: one hash over all records that were there at a check.
 */

export type Anchor = Selectable<TenantTables['evidence_checks']>['anchor'];

/** Takes all records, in the order of customers and numbers; counts those that are older than `before`. */
export function anchoring(before: string) {
  const digest = createHash('sha256');
  let records = 0;
  return {
    add({ id, hash }: { id: string; hash: Buffer }): void {
      if (id >= before) return;
      digest.update(hash);
      records += 1;
    },
    end: (): Anchor => ({ before, records, digest: digest.digest('hex') }),
  };
}

const MAC_BYTES = 32;

const purposeOf = (siteId: string) => `evidence-anchor:${siteId}`;

function bytesOf({ before, records, digest }: Anchor): Buffer {
  return Buffer.from(JSON.stringify([before, records, digest]), 'utf8');
}

/** Layout: key id (2 bytes), HMAC-SHA256 (32). */
export function sealAnchor(keyring: Keyring, siteId: string, anchor: Anchor): Buffer {
  const { id, key } = keyring.derive(purposeOf(siteId));
  return Buffer.concat([id, sign(key, bytesOf(anchor))]);
}

/** Of a check after which somebody was at the anchor: it says so to each check that follows. */
export function brokenSeal(keyring: Keyring, siteId: string): Buffer {
  return Buffer.concat([keyring.derive(purposeOf(siteId)).id, Buffer.alloc(MAC_BYTES)]);
}

/** null where the key that sealed it is gone, so that nobody can tell. */
export function isAnchorOfOurs(
  keyring: Keyring,
  siteId: string,
  { anchor, seal }: { anchor: Anchor; seal: Buffer },
): boolean | null {
  const key = keyring.deriveById(purposeOf(siteId), seal.subarray(0, 2));
  return key === null ? null : equalBytes(sign(key, bytesOf(anchor)), seal.subarray(2));
}
