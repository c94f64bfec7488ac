import { type Job, queueTask } from '#server/platform/queue.ts';
import type { Services } from '#server/platform/services.ts';
import { applySlice, deleteSlice } from './apply-undo.ts';
import { deleteSomeCustomers, findUndo } from './bulk-changes.sql.ts';
import { checkSlice } from './check-undo.ts';
import { BULK_UNDOS, enqueueFor, isExpired } from './undo-steps.ts';

/** Concurrent undos in this process. */
const CONCURRENCY = 2;

export const BULK_UNDO_WORKER = queueTask(BULK_UNDOS, CONCURRENCY, handleJob);

/** Does the next step of an undo; a job of another round is stale. */
export async function handleJob(services: Services, job: Job): Promise<void> {
  const undo = await services.database.readSite(job.site_id, (site) => findUndo(site, job.id));
  if (undo === undefined) return;
  if (undo.round !== job.round) return;
  if (undo.status === 'checking') return checkAgain(services, job);
  if (undo.status === 'applying') return applySlice(services, job);
  if (undo.status === 'deleting') return deleteSlice(services, job);
  if (isExpired(undo, services.clock.now())) return deleteCustomers(services, job);
  // A clock that was wrong can bring it forward.
  await services.database.inSite(job.site_id, (site) => enqueueFor(services, site, undo));
}

const AT_ONCE = 5000;

async function deleteCustomers(services: Services, job: Job): Promise<void> {
  for (;;) {
    const gone = await services.database.inSite(job.site_id, (site) =>
      deleteSomeCustomers(site, job.id, AT_ONCE),
    );
    if (gone < AT_ONCE) return;
  }
}

/** A new preview begins without the customers of the one before. */
async function checkAgain(services: Services, job: Job): Promise<void> {
  const undo = await services.database.readSite(job.site_id, (site) => findUndo(site, job.id));
  if (undo?.cursor === null) await deleteCustomers(services, job);
  return checkSlice(services, job);
}
