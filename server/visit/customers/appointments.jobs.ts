import { UNSEEN, saveChoice } from '#server/choices/choices/choices.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import { startTicks, type Ticks } from '#server/platform/ticks.ts';
import {
  type AppointmentKind,
  type AppointmentRow,
  deleteAppointment,
  dueAppointments,
  moveAppointment,
} from '#server/audience/customers/appointments.sql.ts';
import { eraseWhenTold } from './erasure.ts';
import { finishMerge } from './merging.ts';
import { forgetExpired } from '#server/visit/pending-changes/pending-changes.ts';

const LOOK_EVERY_MS = 15_000;
const AT_A_TIME = 100;

/** Keeps appointments with customers in this process, a few seconds after they are due. */
export function startAppointments(services: Services): Ticks {
  return startTicks('appointments', LOOK_EVERY_MS, services.log, () => keepAppointments(services));
}

/**
 * Keeps every appointment that is due. Two processes may keep the same one: the second finds nothing to do. One that
 * fails stays due, and does not hold up the others.
 * @param kind only those of this kind
 */
export async function keepAppointments(services: Services, kind?: AppointmentKind): Promise<void> {
  const failed = new Set<string>();
  for (;;) {
    const limit = AT_A_TIME + failed.size;
    const due = await dueAppointments(services.database.global, { now: services.clock.now(), limit, kind });
    const open = due.filter((one) => !failed.has(keyOf(one)));
    if (open.length === 0) return;
    for (const one of open) {
      try {
        await keep(services, one);
      } catch (error) {
        failed.add(keyOf(one));
        services.log.error({ err: error, appointment: one }, 'an appointment was not kept and stays due');
      }
    }
  }
}

const keyOf = (one: AppointmentRow) => `${one.site_id}:${one.customer_id}:${one.kind}`;

async function keep(services: Services, due: AppointmentRow): Promise<void> {
  const { global } = services.database;
  const again = await KEEP[due.kind](services, due);
  if (again === null) await deleteAppointment(global, due);
  else await moveAppointment(global, due, again);
}

/** @returns when to look again; null when it is done */
const KEEP: Record<AppointmentKind, (services: Services, due: AppointmentRow) => Promise<Date | null>> = {
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
