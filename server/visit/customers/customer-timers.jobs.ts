import {
  type CustomerTimerKind,
  type CustomerTimerRow,
  runDueTimers,
  type TimerHandlers,
} from '#server/audience/customers/customer-timers.ts';
import { saveChoice, NO_VISIT } from '#server/choices/choices/choices.ts';
import { AppError } from '#server/platform/errors.ts';
import { intervalTask } from '#server/platform/interval-worker.ts';
import type { Services } from '#server/platform/services.ts';
import { notifyOfComplaints } from '#server/visit/complaint-notices/complaint-notices.ts';
import { deleteExpiredPending } from '#server/visit/pending-changes/pending-changes.ts';
import { eraseOnceToolsAreUpdated } from './erasure.ts';
import { finishMerge } from './merging.ts';
import { shortenPauses } from './shorten-pauses.ts';

/** Runs the timers of customers in this process, a few seconds after they are due. */
export const CUSTOMER_TIMERS = intervalTask({
  name: 'customer-timers',
  everyMs: 15_000,
  async run(services) {
    await shortenPauses(services);
    await runCustomerTimers(services);
  },
});

/**
 * Runs every customer timer that is due.
 * @param kind only those of this kind
 */
export async function runCustomerTimers(services: Services, kind?: CustomerTimerKind): Promise<void> {
  await runDueTimers(services, HANDLERS, kind);
}

const HANDLERS: TimerHandlers = {
  erase: eraseOnceToolsAreUpdated,
  resume,
  merge,
  pending_end: deleteExpiredPending,
  complaint: notifyOfComplaints,
};

async function merge(services: Services, { site_id, customer_id }: CustomerTimerRow): Promise<null> {
  try {
    await finishMerge(services, site_id, customer_id);
  } catch (error) {
    // The customer has since been erased.
    if (!(error instanceof AppError && error.code === 'not_found')) throw error;
  }
  return null;
}

/** Ends an expired pause, which restores exactly the former state. */
async function resume(services: Services, due: CustomerTimerRow): Promise<null> {
  try {
    await saveChoice(
      services,
      due.site_id,
      due.customer_id,
      { globalUnsubscribe: false },
      {
        source: 'pause_end',
        authority: 'system',
        saveId: null,
        ...NO_VISIT,
      },
      { pausedUntil: due.due_at },
    );
  } catch (error) {
    // The customer has since been erased.
    if (!(error instanceof AppError && error.code === 'not_found')) throw error;
  }
  return null;
}
