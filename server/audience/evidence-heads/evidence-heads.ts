import { SETTLES_AFTER_MS, settledBefore } from '#server/audience/evidence/settled.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { FIRST_ID, newId } from '#server/platform/ids.ts';
import { cursorOf, pageOf } from '#server/platform/paging.ts';
import { sha256 } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { evidenceKeys } from './evidence-keys.ts';
import {
  hashesBetween,
  headAfter,
  headOfRecord,
  hasHeadBesides,
  type HeadRow,
  headsBefore,
  insertHead,
  lastHead,
  type SignedHead,
} from './evidence-heads.sql.ts';
import { leafOf, recordOfLeaf, rootOf, splitLeaves } from './merkle.ts';
import { isSignedBy, type PublicJwk, signerOf } from './signing.ts';

export type { HeadRow, SignedHead } from './evidence-heads.sql.ts';
export { headAfter, headOfRecord, lastHead };

/** So many records at most share a signature; a night with more has several heads. */
const RECORDS_OF_HEAD = 4096;

const FORMAT = 'sayso-evidence-head/1';

/** What precedes a statement when it is signed, so that the signature is good for nothing else. */
const signedText = (statement: string) => `${FORMAT}\n${statement}`;

/** @returns the next head, to be stored */
function makeHead(
  services: Pick<Services, 'keyring' | 'clock'>,
  siteId: string,
  {
    last,
    found,
    upTo,
  }: { last: SignedHead | undefined; found: readonly { id: string; hash: Buffer }[]; upTo: string },
) {
  const signer = signerOf(services.keyring);
  const leaves = found.map(leafOf);
  const number = (last?.number ?? 0) + 1;
  const signedAt = services.clock.now();
  const statement = JSON.stringify({
    format: FORMAT,
    site_id: siteId,
    number,
    signed_at: signedAt.toISOString(),
    from: last?.up_to ?? FIRST_ID,
    up_to: upTo,
    records: leaves.length,
    root: rootOf(leaves).toString('hex'),
    previous: last === undefined ? null : sha256(last.statement).toString('hex'),
  });
  return {
    id: newId(),
    number,
    up_to: upTo,
    records: leaves.length,
    leaves: Buffer.concat(leaves),
    statement,
    kid: signer.key.kid,
    signature: signer.sign(signedText(statement)),
    signed_at: signedAt,
  };
}

/**
 * Signs the site's records since its last head, in a head that is stored for good. Also when there are none: it says that
 * the site had no more. A site without evidence has no head.
 * @param options.settlesAfterMs how old records are that are signed
 */
export async function signHeads(
  services: Pick<Services, 'database' | 'keyring' | 'clock'>,
  siteId: string,
  { settlesAfterMs = SETTLES_AFTER_MS, signal }: { settlesAfterMs?: number; signal?: AbortSignal } = {},
): Promise<void> {
  const before = settledBefore(settlesAfterMs);
  for (;;) {
    signal?.throwIfAborted();
    const found = await services.database.inSite(siteId, async (site) => {
      const last = await lastHead(site);
      const from = last?.up_to ?? FIRST_ID;
      const rows = await hashesBetween(site, { from, before, limit: RECORDS_OF_HEAD + 1 });
      if (last === undefined && rows.length === 0) return 0;
      const next = rows[RECORDS_OF_HEAD];
      const upTo = next?.id ?? (before > from ? before : from);
      await insertHead(
        site,
        makeHead(services, siteId, { last, found: rows.slice(0, RECORDS_OF_HEAD), upTo }),
      );
      return rows.length;
    });
    if (found <= RECORDS_OF_HEAD) return;
  }
}

/** Does a head name a key that this installation never had? */
export async function hasForeignHead(
  services: Pick<Services, 'database' | 'keyring'>,
  siteId: string,
): Promise<boolean> {
  const kids = (await evidenceKeys(services)).map(({ kid }) => kid);
  return services.database.readSite(siteId, (site) => hasHeadBesides(site, kids));
}

/** Has the head the number that follows, does it name the head before, and is it what was signed of its leaves? */
function follows(head: HeadRow, last: SignedHead | undefined, keys: readonly PublicJwk[]): boolean {
  const key = keys.find(({ kid }) => kid === head.kid);
  if (key === undefined || !isSignedBy(key, signedText(head.statement), head.signature)) return false;
  const said = JSON.parse(head.statement) as { number: number; previous: string | null; root: string };
  return (
    head.number === (last?.number ?? 0) + 1 &&
    said.number === head.number &&
    said.previous === (last === undefined ? null : sha256(last.statement).toString('hex')) &&
    said.root === rootOf(splitLeaves(head.leaves)).toString('hex')
  );
}

/** The first record of a head that is gone, or has another hash. */
async function changedRecordOf(site: SiteDb, head: HeadRow, from: string): Promise<string | undefined> {
  const rows = await hashesBetween(site, { from, before: head.up_to, limit: RECORDS_OF_HEAD * 2 });
  const hashes = new Map(rows.map(({ id, hash }) => [id, hash]));
  return splitLeaves(head.leaves)
    .map(recordOfLeaf)
    .find(({ id, hash }) => !hashes.get(id)?.equals(hash))?.id;
}

/**
 * Compares what was signed with what is there, a head at a time. It also finds the removal of a customer with all records and
 * the end of their chain.
 * @returns null if all of it is there; otherwise the first record that isn't, or undefined where a head itself was changed
 */
export async function missingFromHeads(
  services: Pick<Services, 'database' | 'keyring'>,
  siteId: string,
  signal?: AbortSignal,
): Promise<{ recordId: string | undefined } | null> {
  const keys = await evidenceKeys(services);
  let last: SignedHead | undefined;
  for (;;) {
    signal?.throwIfAborted();
    const before: SignedHead | undefined = last;
    const found = await services.database.readSite(siteId, async (site) => {
      const head = await headAfter(site, before?.number ?? 0);
      if (head === undefined) return undefined;
      return { head, changed: await changedRecordOf(site, head, before?.up_to ?? FIRST_ID) };
    });
    if (found === undefined) return null;
    const { head, changed } = found;
    if (changed !== undefined || !follows(head, before, keys)) return { recordId: changed };
    last = head;
  }
}

/** As a pack holds it. */
export function presentHead({ statement, kid, signature }: SignedHead) {
  return { statement, kid, signature: signature.toString('base64url') };
}

/** Newest first. */
export async function listEvidenceHeads(
  services: Services,
  siteId: string,
  query: { cursor?: string | undefined; limit: number },
) {
  const before = cursorOf(query.cursor);
  const rows = await services.database.readSite(siteId, (site) =>
    headsBefore(site, { before, limit: query.limit }),
  );
  return pageOf(rows, query.limit, (head) => ({
    number: head.number,
    records: head.records,
    signed_at: head.signed_at.toISOString(),
    ...presentHead(head),
  }));
}
