import type { ImportCounts, ImportStatus } from '#contract/imports.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { IN_SLICES, type Job, type JobQueue } from '#server/platform/queue.ts';
import type { Services } from '#server/platform/services.ts';
import { type ImportJob, lockImport, updateImport } from './imports.sql.ts';

export const KEPT_DAYS = 30;
const DAY_MS = 86_400_000;

/** An upload unfinished by then never finishes: no request takes as long. */
const UPLOAD_MS = 15 * 60_000;

export const NO_COUNTS: ImportCounts = {
  total: 0,
  read: 0,
  checked: 0,
  applied: 0,
  added: 0,
  changed: 0,
  revived: 0,
  unchanged: 0,
  blocked: 0,
  merged: 0,
  rejected: 0,
  subscribes: 0,
  unsubscribes: 0,
  no_choice: 0,
};

export const IMPORTS: JobQueue = {
  name: 'imports',
  options: IN_SLICES,
};

const WORKING: readonly ImportStatus[] = ['reading', 'checking', 'applying'];

type Changes = Parameters<typeof updateImport>[2];

/** Locks the import of a job; null if the job is stale. */
export async function lockForJob(
  site: SiteDb,
  job: Job,
  statuses: readonly ImportStatus[],
): Promise<ImportJob | null> {
  const row = await lockImport(site, job.id);
  return row !== undefined && row.round === job.round && statuses.includes(row.status) ? row : null;
}

/**
 * Moves an import to its next step, in the transaction of the step before, and enqueues the job for it: at once if
 * there is work, else when the import is abandoned or its rows expire.
 * @param startAfter for work that has to wait
 */
export async function step(
  services: Services,
  site: SiteDb,
  before: Pick<ImportJob, 'id' | 'round'>,
  changes: Changes & { status: ImportStatus },
  startAfter?: Date,
): Promise<ImportJob> {
  const now = services.clock.now();
  const isEnd = isEnded(changes.status);
  const row = await updateImport(site, before.id, {
    ...changes,
    round: before.round + 1,
    updated_at: now,
    ...(isEnd ? { ended_at: now } : {}),
  });
  await enqueueFor(services, site, row, startAfter);
  return row;
}

/** The job that fits the import's state. */
export async function enqueueFor(
  services: Services,
  site: SiteDb,
  { id, round, status }: Pick<ImportJob, 'id' | 'round' | 'status'>,
  startAfter?: Date,
): Promise<void> {
  const at = WORKING.includes(status)
    ? startAfter
    : new Date(services.clock.now().getTime() + restMs(status));
  await services.queue.enqueue(site, IMPORTS, [
    { id, round, ...(at === undefined ? {} : { startAfter: at }) },
  ]);
}

const restMs = (status: ImportStatus) => (status === 'receiving' ? UPLOAD_MS : KEPT_DAYS * DAY_MS);

/** Does a job that ends a rest come before its time? A clock that was wrong can put it off or bring it forward. */
export function isResting({ status, updated_at: since }: ImportJob, now: Date): boolean {
  return !WORKING.includes(status) && now.getTime() - since.getTime() < restMs(status);
}

export function isEnded(status: ImportStatus): boolean {
  return status === 'finished' || status === 'cancelled' || status === 'failed';
}

/** Is it time to delete the rows of an ended import? */
export function isExpired({ ended_at: endedAt }: ImportJob, now: Date): boolean {
  return endedAt !== null && now.getTime() - endedAt.getTime() >= KEPT_DAYS * DAY_MS;
}
