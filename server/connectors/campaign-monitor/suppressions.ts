import { z } from 'zod';
import { path, type ToolApi } from '#server/connectors/connector.ts';
import { attempt, clientOf, understood } from './api.ts';

/*
 * The tool cannot be asked whether one address is suppressed, and a list of 100,000 takes a hundred calls. So a copy is
 * kept for some minutes, and read on from its end: in the order of dates, what is new comes last.
 */

const PAGE_SIZE = 1000;
const KEEP_MS = 15 * 60_000;
/** For people who are only read, not decided upon. */
const RECENT_MS = 60_000;

export interface Suppression {
  reason: 'bounce' | 'complaint' | 'other';
}

interface Copy {
  /** By the address in lower case. */
  entries: Map<string, Suppression>;
  startedAt: number;
  /** When the end was reached last; null: not yet, and `nextPage` is to be read. */
  checkedAt: number | null;
  nextPage: number;
  /** How many the tool says there are. */
  total: number;
  /** By how many rows that is more than there are addresses. */
  surplus: number;
}

interface Kept {
  copy: Copy | null;
  /** Two readers would ask for the same pages. */
  lastReading: Promise<unknown>;
}

const copies = new WeakMap<object, Kept>();

const suppressionPage = z.object({
  Results: z.array(z.object({ EmailAddress: z.string(), SuppressionReason: z.string().nullish() })),
  NumberOfPages: z.number(),
  TotalNumberOfRecords: z.number(),
});

function keptOf({ cacheKey }: ToolApi): Kept {
  const kept = copies.get(cacheKey) ?? { copy: null, lastReading: Promise.resolve() };
  copies.set(cacheKey, kept);
  return kept;
}

function reasonOf(text: string): Suppression['reason'] {
  if (/bounce/i.test(text)) return 'bounce';
  return /spam|complain/i.test(text) ? 'complaint' : 'other';
}

function begin(kept: Kept, now: number): Copy {
  const entries = new Map<string, Suppression>();
  kept.copy = { entries, startedAt: now, checkedAt: null, nextPage: 1, total: 0, surplus: 0 };
  return kept.copy;
}

/** @returns whether it was the last one */
async function readPage(api: ToolApi, copy: Copy, page: number): Promise<boolean> {
  const { body } = await api.call({
    method: 'GET',
    path: path`/clients/${clientOf(api)}/suppressionlist.json`,
    query: { page, pagesize: PAGE_SIZE, orderfield: 'date', orderdirection: 'asc' },
  });
  const read = understood(suppressionPage, body);
  for (const { EmailAddress: email, SuppressionReason: reason } of read.Results) {
    copy.entries.set(email.toLowerCase(), { reason: reasonOf(reason ?? '') });
  }
  copy.total = read.TotalNumberOfRecords;
  return page >= read.NumberOfPages;
}

/**
 * Reads what is not there yet. What a failure breaks off goes on from there the next time.
 * @returns false: somebody was taken off the list, which moves others to pages that were read already
 */
async function readOn(api: ToolApi, copy: Copy): Promise<boolean> {
  const isWhole = copy.checkedAt !== null;
  // The last page once more: it tells whether everybody is where they were.
  if (isWhole) copy.nextPage = Math.max(1, Math.ceil((copy.entries.size + copy.surplus) / PAGE_SIZE));
  for (;;) {
    const { total } = copy;
    const isLast = await readPage(api, copy, copy.nextPage);
    if (copy.total < total) return false;
    if (isLast) break;
    copy.nextPage += 1;
  }
  const surplus = copy.total - copy.entries.size;
  if (isWhole && surplus !== copy.surplus) return false;
  copy.surplus = surplus;
  copy.checkedAt = api.now().getTime();
  return true;
}

async function bringUpToDate(api: ToolApi, kept: Kept, maxAgeMs: number): Promise<Copy> {
  const now = api.now().getTime();
  const isKept = kept.copy !== null && now - kept.copy.startedAt < KEEP_MS;
  const copy = isKept && kept.copy !== null ? kept.copy : begin(kept, now);
  if (copy.checkedAt !== null && now - copy.checkedAt < maxAgeMs) return copy;
  if (await readOn(api, copy)) return copy;
  const again = begin(kept, now);
  await readOn(api, again);
  return again;
}

function upToDate(api: ToolApi, maxAgeMs: number): Promise<Copy> {
  const kept = keptOf(api);
  const work = () => bringUpToDate(api, kept, maxAgeMs);
  const reading = kept.lastReading.then(work, work);
  kept.lastReading = reading.catch(() => {});
  return reading;
}

/** As it is now. */
export async function suppressionOf(api: ToolApi, email: string): Promise<Suppression | null> {
  const { entries } = await upToDate(api, 0);
  return entries.get(email.toLowerCase()) ?? null;
}

/** By the address in lower case, as it was within the last minute. */
export async function recentSuppressions(api: ToolApi): Promise<ReadonlyMap<string, Suppression>> {
  return (await upToDate(api, RECENT_MS)).entries;
}

export async function suppress(api: ToolApi, email: string): Promise<void> {
  const json = { EmailAddresses: [email] };
  await api.call({ method: 'POST', path: path`/clients/${clientOf(api)}/suppress.json`, json });
}

const NOT_SUPPRESSED = 176;

export async function unsuppress(api: ToolApi, email: string): Promise<void> {
  const where = path`/clients/${clientOf(api)}/unsuppress.json`;
  const call = { method: 'PUT', path: where, query: { email } } as const;
  const { code } = await attempt(api, call, [NOT_SUPPRESSED]);
  const { copy } = keptOf(api);
  // Known without reading everything again.
  if (code === null && copy?.entries.delete(email.toLowerCase()) === true) copy.total -= 1;
}
