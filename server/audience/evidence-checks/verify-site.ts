import type { EvidenceFinding } from '#contract/evidence-check.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { FIRST_ID, LAST_ID } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { type Anchor, anchoring } from './anchor.ts';
import { checkChain, type Head } from './chain.ts';
import { findHead, headsAfter, type Place, recordsAfter } from './evidence-checks.sql.ts';

const HEADS_AT_ONCE = 200;
const RECORDS_AT_ONCE = 500;
/** Of a site on which everything is broken, so many say it. */
const MOST_FINDINGS = 20;

/** Of PostgreSQL's int. */
const LAST_SEQUENCE = 2 ** 31 - 1;

type Reader = Pick<Services, 'database' | 'keyring'>;

export interface Verified {
  records: number;
  /** One for each customer. */
  chains: number;
  broken: number;
  /** The first bad record of each broken chain, of the first of them. */
  findings: EvidenceFinding[];
  /** What of the anchor that is known was found again. */
  knownAgain: Anchor;
  anchor: Anchor;
}

export interface VerifyOptions {
  /** The records that are hashed together. */
  anchor: { known: Anchor | null; before: string };
  onProgress?: (records: number) => void;
  signal?: AbortSignal | undefined;
}

/**
 * Computes every chain of a site again, a few hundred records at a time. It reads only, and the site goes on meanwhile: a
 * chain that seems broken is looked at again in one snapshot.
 */
export async function verifySite(
  reader: Reader,
  siteId: string,
  { anchor: { known, before }, onProgress, signal }: VerifyOptions,
): Promise<Verified> {
  const findings: EvidenceFinding[] = [];
  let [records, chains, broken] = [0, 0, 0];
  const again = anchoring(known?.before ?? FIRST_ID);
  const next = anchoring(before);
  const read = <T>(work: (site: SiteDb) => Promise<T>) => reader.database.readSite(siteId, work);

  for await (const { heads, after, upTo } of batches(read)) {
    const batch = batchOf(reader, heads);
    for await (const record of recordsOf(read, { customerId: after, sequence: LAST_SEQUENCE }, upTo)) {
      signal?.throwIfAborted();
      batch.add(record);
      again.add(record);
      next.add(record);
      records += 1;
      if (records % RECORDS_AT_ONCE === 0) onProgress?.(records);
    }
    chains += batch.size();
    for (const customerId of batch.suspects()) {
      const finding = await verifyChain(reader, siteId, customerId);
      if (finding === null) continue;
      broken += 1;
      if (findings.length < MOST_FINDINGS) findings.push(finding);
    }
  }
  onProgress?.(records);
  return { records, chains, broken, findings, knownAgain: again.end(), anchor: next.end() };
}

type Read = <T>(work: (site: SiteDb) => Promise<T>) => Promise<T>;

/** Customers in the order of their ids; the last batch reaches to the end, for records of nobody. */
async function* batches(read: Read): AsyncGenerator<{ heads: Head[]; after: string; upTo: string }> {
  let after = FIRST_ID;
  for (;;) {
    const from = after;
    const heads = await read((site) => headsAfter(site, from, HEADS_AT_ONCE));
    const last = heads.length < HEADS_AT_ONCE ? undefined : heads.at(-1);
    yield { heads, after, upTo: last?.id ?? LAST_ID };
    if (last === undefined) return;
    after = last.id;
  }
}

async function* recordsOf(read: Read, start: Place, upTo: string) {
  let place = start;
  for (;;) {
    const from = place;
    const records = await read((site) => recordsAfter(site, from, { upTo, limit: RECORDS_AT_ONCE }));
    yield* records;
    const last = records.at(-1);
    if (last === undefined || records.length < RECORDS_AT_ONCE) return;
    place = { customerId: last.customer_id, sequence: last.sequence };
  }
}

type Record = Parameters<ReturnType<typeof checkChain>['add']>[0];

function batchOf({ keyring }: Reader, heads: readonly Head[]) {
  const chains = new Map(heads.map((head) => [head.id, checkChain(keyring, head.id, head)]));
  return {
    add(record: Record): void {
      const known = chains.get(record.customer_id);
      const chain = known ?? checkChain(keyring, record.customer_id, undefined);
      if (known === undefined) chains.set(record.customer_id, chain);
      chain.add(record);
    },
    size: () => chains.size,
    suspects: () => [...chains].flatMap(([id, chain]) => (chain.end() === null ? [] : [id])),
  };
}

/** One chain in one snapshot: what is saved meanwhile is no break. */
async function verifyChain(
  { database, keyring }: Reader,
  siteId: string,
  customerId: string,
): Promise<EvidenceFinding | null> {
  return database.readSite(siteId, async (site) => {
    await site.query('set transaction isolation level repeatable read');
    const chain = checkChain(keyring, customerId, await findHead(site, customerId));
    const read: Read = (work) => work(site);
    for await (const record of recordsOf(read, { customerId, sequence: -1 }, customerId)) chain.add(record);
    return chain.end();
  });
}
