import type { Services } from '#server/platform/services.ts';

const DAY_MS = 86_400_000;

/** Rows get their ids a moment before they are there; after this time a day that is over gets no more of them. */
const SETTLED_MS = 3_600_000;

/** So many rows are counted anew in a few milliseconds. */
const KEPT_FROM_ROWS = 10_000;
const MOST_KEPT = 100;

export interface Time {
  from: Date;
  until: Date;
}

interface Counted {
  count: number;
}

const keptBy = new WeakMap<Services, Map<string, readonly Counted[]>>();

/**
 * Counts by time, where the counts of days that are over are kept in this process: no row of an earlier day comes, goes or
 * becomes another day's, only its status changes, which is never counted here. Small sites are counted anew each time.
 * @param key what is counted, the site included; the time is added
 * @param count answers rows whose `count`s of neighbouring times may be added
 */
export async function countByTime<Row extends Counted>(
  services: Services,
  key: string,
  { from, until }: Time,
  count: (time: Time) => Promise<Row[]>,
): Promise<Row[]> {
  const cut = new Date(Math.max(from.getTime(), settledUntil(until, services.clock.now()).getTime()));
  const past = await keptOr(services, `${key} ${from.toISOString()} ${cut.toISOString()}`, () =>
    from < cut ? count({ from, until: cut }) : Promise.resolve([]),
  );
  return [...past, ...(cut < until ? await count({ from: cut, until }) : [])];
}

/** The end of the last UTC day before `until` that gets no more rows. */
export function settledUntil(until: Date, now: Date): Date {
  const settledMs = Math.min(until.getTime(), now.getTime() - SETTLED_MS);
  return new Date(Math.floor(settledMs / DAY_MS) * DAY_MS);
}

async function keptOr<Row extends Counted>(
  services: Services,
  key: string,
  count: () => Promise<Row[]>,
): Promise<Row[]> {
  const kept = keptBy.get(services) ?? new Map<string, readonly Counted[]>();
  keptBy.set(services, kept);
  const known = kept.get(key) as Row[] | undefined;
  const rows = known ?? (await count());
  kept.delete(key);
  if (rows.reduce((sum, row) => sum + row.count, 0) < KEPT_FROM_ROWS) return rows;
  // The one that was asked for longest ago goes first.
  for (const oldest of kept.keys()) {
    if (kept.size < MOST_KEPT) break;
    kept.delete(oldest);
  }
  kept.set(key, rows);
  return rows;
}
