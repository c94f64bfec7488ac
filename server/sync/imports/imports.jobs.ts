import { type Job, queueTask } from '#server/platform/queue.ts';
import type { Services } from '#server/platform/services.ts';
import { applySlice } from './apply.ts';
import { checkSlice } from './check.ts';
import { deleteRows } from './delete-rows.ts';
import { findImport } from './imports.sql.ts';
import { readPage } from './read-tool.ts';
import { enqueueFor, IMPORTS, isExpired, isResting, lockForJob, step } from './steps.ts';

/** Concurrent imports in this process. */
const CONCURRENCY = 4;

export const IMPORT_WORKER = queueTask(IMPORTS, CONCURRENCY, handleJob);

/** Does the next step of an import; a job of another round is stale. */
export async function handleJob(services: Services, job: Job): Promise<void> {
  const row = await services.database.readSite(job.site_id, (site) => findImport(site, job.id));
  if (row === undefined) return;
  if (isExpired(row, services.clock.now())) return deleteRows(services, job.site_id, job.id);
  if (row.round !== job.round) return;
  if (row.status === 'reading') return readPage(services, job);
  if (row.status === 'checking') return checkSlice(services, job);
  if (row.status === 'applying') return applySlice(services, job);
  if (isResting(row, services.clock.now()))
    return services.database.inSite(job.site_id, (site) => enqueueFor(services, site, row));
  if (row.status === 'receiving') return endUpload(services, job);
  if (row.status === 'uploaded' || row.status === 'checked') return endIdle(services, job);
}

/** The process that received the upload died. */
async function endUpload(services: Services, job: Job): Promise<void> {
  await services.database.inSite(job.site_id, async (site) => {
    const row = await lockForJob(site, job, ['receiving']);
    if (row === null) return;
    await step(services, site, row, {
      status: 'failed',
      error: 'The upload was interrupted. Upload the file again.',
    });
  });
  await deleteRows(services, job.site_id, job.id);
}

/** The import was abandoned, so its personal data is deleted. */
async function endIdle(services: Services, job: Job): Promise<void> {
  await services.database.inSite(job.site_id, async (site) => {
    const row = await lockForJob(site, job, ['uploaded', 'checked']);
    if (row !== null) await step(services, site, row, { status: 'cancelled' });
  });
  await deleteRows(services, job.site_id, job.id);
}
