import type { UndoCounts, UndoStatus } from '#contract/bulk-changes.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { IN_SLICES, type Job, type JobQueue } from '#server/platform/queue.ts';
import type { Services } from '#server/platform/services.ts';
import { countCustomers, lockUndo, type UndoRow, updateUndo } from './bulk-changes.sql.ts';

/** Which customers an undo concerned is stored for as long as the rows of an import. */
const KEPT_MS = 30 * 86_400_000;

export const NO_COUNTS: UndoCounts = {
  customers: 0,
  restored: 0,
  partly: 0,
  kept: 0,
  unchanged: 0,
  subscribes: 0,
  unsubscribes: 0,
  new_customers: 0,
  applied: 0,
  deleted: 0,
};

export const BULK_UNDOS: JobQueue = {
  name: 'bulk-undos',
  options: IN_SLICES,
};

const WORKING: readonly UndoStatus[] = ['checking', 'applying', 'deleting'];

type Changes = Parameters<typeof updateUndo>[2];

/** Locks the undo of a job; null if the job is stale. */
export async function lockForJob(site: SiteDb, job: Job, status: UndoStatus): Promise<UndoRow | null> {
  const row = await lockUndo(site, job.id);
  return row !== undefined && row.round === job.round && row.status === status ? row : null;
}

/**
 * Moves an undo to its next step, in the transaction of the step before, and enqueues the job for it: at once if there is
 * work, else when its customers expire.
 * @param startAfter for work that has to wait
 */
export async function step(
  services: Services,
  site: SiteDb,
  before: Pick<UndoRow, 'id' | 'round'>,
  changes: Changes & { status: UndoStatus },
  startAfter?: Date,
): Promise<UndoRow> {
  const now = services.clock.now();
  const row = await updateUndo(site, before.id, {
    ...changes,
    round: before.round + 1,
    updated_at: now,
    ...(changes.status === 'finished' ? { ended_at: now } : {}),
  });
  await enqueueFor(services, site, row, startAfter);
  return row;
}

/** The job that fits the state of an undo. */
export async function enqueueFor(
  services: Services,
  site: SiteDb,
  { id, round, status }: Pick<UndoRow, 'id' | 'round' | 'status'>,
  startAfter?: Date,
): Promise<void> {
  const expires = new Date(services.clock.now().getTime() + KEPT_MS);
  const at = WORKING.includes(status) ? startAfter : expires;
  await services.queue.enqueue(site, BULK_UNDOS, [
    { id, round, ...(at === undefined ? {} : { startAfter: at }) },
  ]);
}

/** Has nobody needed the customers of this undo for so long that they can go? */
export function isExpired({ status, updated_at: at }: UndoRow, now: Date): boolean {
  return !WORKING.includes(status) && now.getTime() - at.getTime() >= KEPT_MS;
}

/** The counts by verdict, as the customers of the undo stand. */
export async function countsOf(site: SiteDb, undo: Pick<UndoRow, 'id' | 'counts'>): Promise<UndoCounts> {
  const found = await countCustomers(site, undo.id);
  const counts = { ...undo.counts, restored: 0, partly: 0, kept: 0, unchanged: 0 };
  for (const { verdict, count } of found) counts[verdict] = count;
  const sum = (of: (row: (typeof found)[number]) => number) =>
    found.reduce((total, row) => total + of(row), 0);
  return {
    ...counts,
    customers: sum(({ count }) => count),
    new_customers: sum((row) => row.new_count),
    applied: sum(({ applied }) => applied),
    deleted: sum(({ deleted }) => deleted),
  };
}
