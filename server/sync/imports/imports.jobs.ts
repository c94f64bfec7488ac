import { type Job, queueTask } from '#server/platform/queue.ts';
import type { Services } from '#server/platform/services.ts';
import { applySlice } from './apply.ts';
import { checkSlice } from './check.ts';
import { forgetRows } from './forget.ts';
import { findImport } from './imports.sql.ts';
import { readPage } from './read-tool.ts';
import { IMPORTS, isToBeForgotten, lockForJob, step } from './steps.ts';

/** Imports at the same time in this process. */
const CONCURRENCY = 4;

export const IMPORT_WORKER = queueTask(IMPORTS, CONCURRENCY, workOff);

/** Does what an import waits for in its state; a job of another round is out of date. */
export async function workOff(services: Services, job: Job): Promise<void> {
  const row = await services.database.readSite(job.site_id, (site) => findImport(site, job.id));
  if (row === undefined) return;
  if (isToBeForgotten(row, services.clock.now())) return forgetRows(services, job.site_id, job.id);
  if (row.round !== job.round) return;
  if (row.status === 'reading') return readPage(services, job);
  if (row.status === 'checking') return checkSlice(services, job);
  if (row.status === 'applying') return applySlice(services, job);
  if (row.status === 'receiving') return endUpload(services, job);
  if (row.status === 'uploaded' || row.status === 'checked') return endIdle(services, job);
}

/** The process that received the file is gone. */
async function endUpload(services: Services, job: Job): Promise<void> {
  await services.database.inSite(job.site_id, async (site) => {
    const row = await lockForJob(site, job, ['receiving']);
    if (row === null) return;
    await step(services, site, row, {
      status: 'failed',
      error: 'The upload broke off. Send the file again.',
    });
  });
  await forgetRows(services, job.site_id, job.id);
}

/** Nobody went on with it; what it holds of people is kept no longer. */
async function endIdle(services: Services, job: Job): Promise<void> {
  await services.database.inSite(job.site_id, async (site) => {
    const row = await lockForJob(site, job, ['uploaded', 'checked']);
    if (row !== null) await step(services, site, row, { status: 'cancelled' });
  });
  await forgetRows(services, job.site_id, job.id);
}
