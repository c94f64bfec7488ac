import {
  type AppointmentKind,
  type AppointmentRow,
  keepDueAppointments,
  type Keepers,
} from '#server/audience/customers/appointments.ts';
import { saveChoice, UNSEEN } from '#server/choices/choices/choices.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import { startTicks, type Ticks } from '#server/platform/ticks.ts';
import { forgetExpired } from '#server/visit/pending-changes/pending-changes.ts';
import { eraseWhenTold } from './erasure.ts';
import { finishMerge } from './merging.ts';

const LOOK_EVERY_MS = 15_000;

/** Keeps appointments with customers in this process, a few seconds after they are due. */
export function startAppointments(services: Services): Ticks {
  return startTicks('appointments', LOOK_EVERY_MS, services.log, () => keepAppointments(services));
}

/**
 * Keeps every appointment that is due, at once.
 * @param kind only those of this kind
 */
export async function keepAppointments(services: Services, kind?: AppointmentKind): Promise<void> {
  await keepDueAppointments(services, KEEP, kind);
}

const KEEP: Keepers = {
  erase: eraseWhenTold,
  resume,
  merge,
  pending_end: forgetExpired,
};

async function merge(services: Services, { site_id, customer_id }: AppointmentRow): Promise<null> {
  try {
    await finishMerge(services, site_id, customer_id);
  } catch (error) {
    // Erased meanwhile.
    if (!(error instanceof AppError && error.code === 'not_found')) throw error;
  }
  return null;
}

/** Ends a pause that is over: the person has again exactly what they had. */
async function resume(services: Services, due: AppointmentRow): Promise<null> {
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
        ...UNSEEN,
      },
      { pausedUntil: due.due_at },
    );
  } catch (error) {
    // Erased meanwhile.
    if (!(error instanceof AppError && error.code === 'not_found')) throw error;
  }
  return null;
}
