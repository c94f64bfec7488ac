import type { Services } from '#server/platform/services.ts';
import {
  type AppointmentKind,
  type AppointmentRow,
  deleteAppointment,
  dueAppointments,
  moveAppointment,
} from './appointments.sql.ts';

export type { AppointmentKind, AppointmentRow } from './appointments.sql.ts';
export { appointment } from './appointments.sql.ts';

const AT_A_TIME = 100;

/** What is done when an appointment of a kind is due: when to look again, null when it is done. */
export type Keepers = Record<
  AppointmentKind,
  (services: Services, due: AppointmentRow) => Promise<Date | null>
>;

/**
 * Keeps every appointment that is due. Two processes may keep the same one: the second finds nothing to do. One that
 * fails stays due, and does not hold up the others.
 * @param kind only those of this kind
 */
export async function keepDueAppointments(
  services: Services,
  keepers: Keepers,
  kind?: AppointmentKind,
): Promise<void> {
  const failed = new Set<string>();
  for (;;) {
    const limit = AT_A_TIME + failed.size;
    const due = await dueAppointments(services.database.global, { now: services.clock.now(), limit, kind });
    const open = due.filter((one) => !failed.has(keyOf(one)));
    if (open.length === 0) return;
    for (const one of open) {
      try {
        await keep(services, keepers, one);
      } catch (error) {
        failed.add(keyOf(one));
        services.log.error({ err: error, appointment: one }, 'an appointment was not kept and stays due');
      }
    }
  }
}

const keyOf = (one: AppointmentRow) => `${one.site_id}:${one.customer_id}:${one.kind}`;

async function keep(services: Services, keepers: Keepers, due: AppointmentRow): Promise<void> {
  const { global } = services.database;
  const again = await keepers[due.kind](services, due);
  if (again === null) await deleteAppointment(global, due);
  else await moveAppointment(global, due, again);
}
