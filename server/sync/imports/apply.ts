import type { ImportCounts } from '#contract/imports.ts';
import { changeSite, siteTag } from '#server/accounts/sites/change-site.ts';
import { addLists } from '#server/audience/lists/lists.ts';
import { withConcurrencyLimit } from '#server/platform/concurrency-limit.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Job } from '#server/platform/queue.ts';
import type { Services } from '#server/platform/services.ts';
import { applyRow, type OpenRow } from './apply-row.ts';
import {
  type AppliedRow,
  countApplied,
  findImport,
  type ImportJob,
  lockImport,
  rowsAfter,
  saveApplied,
} from './imports.sql.ts';
import { type ImportContext, importContextOf } from './evaluate-row.ts';
import { findCustomers, type ImportedCustomer } from './find-customers.ts';
import { lockForJob, NO_COUNTS, step } from './steps.ts';

const SLICE = 100;

/** Rows applied concurrently in this process, over all imports; public pages need database connections, too. */
const AT_ONCE = 6;

/** Applies the next rows. A repeated run skips what was done. */
export async function applySlice(services: Services, job: Job): Promise<void> {
  if (await makeLists(services, job)) return;
  // Lists created by another process a moment ago may be missing from the cache.
  services.cache.evict(siteTag(job.site_id));
  const slice = await readSlice(services, job);
  if (slice === null) return;
  const { row, open, upTo, isLast, context, personOf } = slice;
  const results = await Promise.all(
    open.map((one) =>
      withConcurrencyLimit(AT_ONCE, 'import-rows', () =>
        applyRow(services, row, context, one, personOf(one.email_key)),
      ),
    ),
  );
  const applied = results.filter((one) => one !== null);
  await finishSlice(services, job, applied, upTo, isLast);
}

interface Slice {
  row: ImportJob;
  open: OpenRow[];
  /** Number of its last row. */
  upTo: number;
  isLast: boolean;
  context: ImportContext;
  personOf: (emailKey: string) => ImportedCustomer;
}

async function readSlice(services: Services, job: Job): Promise<Slice | null> {
  return services.database.readSite(job.site_id, async (site) => {
    const row = await findImport(site, job.id);
    if (row === undefined || row.round !== job.round || row.status !== 'applying') return null;
    const rows = await rowsAfter(site, row.id, {
      after: row.position,
      limit: SLICE,
      except: ['merged', 'rejected'],
    });
    const open = rows.filter((one): one is typeof one & OpenRow => one.applied_at === null && isUsable(one));
    const keys = open.map((one) => one.email_key);
    return {
      row,
      open,
      upTo: rows.at(-1)?.number ?? row.position,
      isLast: rows.length < SLICE,
      context: await importContextOf(site, row, services.clock.now()),
      personOf: await findCustomers(services, site, keys),
    };
  });
}

function isUsable({
  email,
  email_key,
  preferences,
}: {
  email: unknown;
  email_key: unknown;
  preferences: unknown;
}): boolean {
  return email !== null && email_key !== null && preferences !== null;
}

async function finishSlice(
  services: Services,
  job: Job,
  applied: readonly AppliedRow[],
  upTo: number,
  isLast: boolean,
): Promise<void> {
  await services.database.inSite(job.site_id, async (site) => {
    const row = await lockImport(site, job.id);
    if (row === undefined) return;
    const isOurs = row.status === 'applying' && row.round === job.round;
    // Cancelled meanwhile: what was done is counted anyway.
    const isCancelled = row.status === 'cancelled' && row.round === job.round + 1;
    if (!isOurs && !isCancelled) return;
    await saveApplied(site, row.id, applied, services.clock.now());
    const counts = countsAfter(row.counts, await countApplied(site, row.id, row.position, upTo));
    await step(services, site, row, {
      status: isCancelled ? 'cancelled' : isLast ? 'finished' : 'applying',
      position: upTo,
      counts: JSON.stringify(counts),
    });
  });
}

function countsAfter(before: ImportCounts, applied: Awaited<ReturnType<typeof countApplied>>): ImportCounts {
  const counts = { ...NO_COUNTS, ...before };
  for (const { verdict, count } of applied) {
    if (verdict === null) continue;
    counts[verdict] += count;
    if (verdict !== 'rejected') counts.applied += count;
  }
  return counts;
}

/**
 * Creates the lists of an import, once.
 * @returns whether there was anything to create; then the rows come next
 */
async function makeLists(services: Services, job: Job): Promise<boolean> {
  const seen = await services.database.readSite(job.site_id, (site) => findImport(site, job.id));
  if (!seen?.resources?.some((one) => one.list_id === null)) return false;
  try {
    await changeSite(services, job.site_id, async (site) => {
      const row = await lockForJob(site, job, ['applying']);
      if (row === null) return;
      const resources = row.resources ?? [];
      const wanted = resources.filter((one) => one.list_id === null);
      const made = await addLists(site, services.clock.now(), wanted.map(newList));
      const withLists = resources.map((one) => {
        const at = wanted.indexOf(one);
        return at < 0 ? one : { ...one, list_id: made[at]?.id ?? null };
      });
      await step(services, site, row, { status: 'applying', resources: JSON.stringify(withLists) });
    });
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'limit_reached')) throw error;
    await services.database.inSite(job.site_id, async (site) => {
      const row = await lockForJob(site, job, ['applying']);
      if (row !== null) await step(services, site, row, { status: 'failed', error: error.message });
    });
  }
  return true;
}

const MAX_LIST_NAME = 100;

function newList({ resource }: NonNullable<ImportJob['resources']>[number]) {
  const name = resource.name.slice(0, MAX_LIST_NAME).toWellFormed().trim();
  return { name };
}
