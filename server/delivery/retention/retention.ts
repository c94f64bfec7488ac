import type { SiteDb } from '#server/platform/database.ts';
import { firstIdAt } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import {
  deleteContent,
  deliveriesAfter,
  type LateArrival,
  lateArrivalsAfter,
  lockAttemptsWithContent,
  type RetentionRow,
} from './retention.sql.ts';

/** Of deliveries that are read, and of attempts that are changed, in one transaction. */
const ROWS_AT_ONCE = 500;

/** After each transaction it rests for four times as long as that took, so that saves have the database to themselves. */
const PAUSE_PER_WORK = 4;
const MAX_PAUSE_MS = 5000;

const DAY_MS = 86_400_000;

/**
 * What arrives within an hour has done so, by whatever clock, once its id is two hours older than the content may be.
 * What arrives later is found by when it did.
 */
const ARRIVAL_MS = 2 * 3_600_000;

/** How far it has come. */
export type Progress = Pick<RetentionRow, 'up_to_id' | 'late_up_to'>;

interface Scan {
  siteId: string;
  /** What arrived before this moment loses its content. */
  before: Date;
  /** @returns false when it is no longer this process's turn */
  keep: (progress: Partial<Progress>) => Promise<boolean>;
}

/**
 * Deletes the content of attempts of deliveries that arrived longer ago than the days of the site, slice by slice.
 * Status, times and answers' status codes stay; what has not arrived keeps everything.
 */
export async function deleteOldContent(
  services: Services,
  { siteId, days, from, keep }: { siteId: string; days: number; from: Progress; keep: Scan['keep'] },
): Promise<void> {
  const before = new Date(services.clock.now().getTime() - days * DAY_MS);
  const turn = { siteId, before, keep };
  if (await scanAll(services, turn, from.up_to_id)) await scanLateArrivals(services, turn, from.late_up_to);
}

/** @returns false when it is no longer this process's turn */
async function scanAll(services: Services, turn: Scan, from: string | null): Promise<boolean> {
  const before = firstIdAt(new Date(turn.before.getTime() - ARRIVAL_MS));
  let after = from;
  for (;;) {
    const slice = { after, before, limit: ROWS_AT_ONCE };
    const rows = await throttled(services, () =>
      services.database.readSite(turn.siteId, (site) => deliveriesAfter(site, slice)),
    );
    const old = rows.filter(
      ({ status, finished_at }) => status === 'arrived' && finished_at !== null && finished_at < turn.before,
    );
    await emptyAttempts(services, turn, old);
    after = rows.at(-1)?.id ?? after;
    if (!(await turn.keep({ up_to_id: after }))) return false;
    if (rows.length < ROWS_AT_ONCE) return true;
  }
}

async function scanLateArrivals(services: Services, turn: Scan, from: Date | null): Promise<void> {
  // Several may have arrived in that moment: all of them are looked at again.
  let after: LateArrival | null = from === null ? null : { id: firstIdAt(new Date(0)), finished_at: from };
  for (;;) {
    const slice = { after, before: turn.before, limit: ROWS_AT_ONCE };
    const rows = await throttled(services, () =>
      services.database.readSite(turn.siteId, (site) => lateArrivalsAfter(site, slice)),
    );
    await emptyAttempts(services, turn, rows);
    after = rows.at(-1) ?? after;
    if (!(await turn.keep({ late_up_to: after?.finished_at ?? null }))) return;
    if (rows.length < ROWS_AT_ONCE) return;
  }
}

async function emptyAttempts(
  services: Services,
  { siteId, before }: Scan,
  deliveries: readonly { id: string }[],
): Promise<void> {
  if (deliveries.length === 0) return;
  const ids = deliveries.map(({ id }) => id);
  let isMore: boolean;
  do {
    isMore = await throttled(services, () =>
      services.database.inSite(siteId, (site) => emptySlice(site, ids, before, services.clock.now())),
    );
  } while (isMore);
}

/** @returns whether there are more */
async function emptySlice(site: SiteDb, ids: readonly string[], before: Date, now: Date): Promise<boolean> {
  const locked = await lockAttemptsWithContent(site, ids, { before, limit: ROWS_AT_ONCE + 1 });
  const upTo = locked.slice(0, ROWS_AT_ONCE).at(-1);
  if (upTo !== undefined) await site.commitWith([deleteContent(site, ids, { upTo, before, now })]);
  return locked.length > ROWS_AT_ONCE;
}

async function throttled<T>({ clock }: Services, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  await clock.wait(Math.min(PAUSE_PER_WORK * (performance.now() - startedAt), MAX_PAUSE_MS));
  return result;
}
