import type { Services } from '#server/platform/services.ts';
import {
  type CustomerTimerKind,
  type CustomerTimerRow,
  deleteTimer,
  dueTimers,
  moveTimer,
} from './customer-timers.sql.ts';

export type { CustomerTimerKind, CustomerTimerRow } from './customer-timers.sql.ts';
export { deleteTimer, pausesBeyond, setCustomerTimer } from './customer-timers.sql.ts';

const AT_A_TIME = 100;

/** What is done when a timer of a kind is due: when to run it again, null when it is done. */
export type TimerHandlers = Record<
  CustomerTimerKind,
  (services: Services, due: CustomerTimerRow) => Promise<Date | null>
>;

/**
 * Runs every timer that is due. Two processes may run the same one: the second finds nothing to do. One that fails
 * stays due, and does not hold up the others.
 * @param kind only those of this kind
 */
export async function runDueTimers(
  services: Services,
  handlers: TimerHandlers,
  kind?: CustomerTimerKind,
): Promise<void> {
  const failed = new Set<string>();
  for (;;) {
    const limit = AT_A_TIME + failed.size;
    const due = await dueTimers(services.database.global, { now: services.clock.now(), limit, kind });
    const open = due.filter((one) => !failed.has(keyOf(one)));
    if (open.length === 0) return;
    for (const one of open) {
      try {
        await runTimer(services, handlers, one);
      } catch (error) {
        failed.add(keyOf(one));
        services.log.error({ err: error, timer: one }, 'a customer timer failed and stays due');
      }
    }
  }
}

const keyOf = (one: CustomerTimerRow) => `${one.site_id}:${one.customer_id}:${one.kind}`;

async function runTimer(services: Services, handlers: TimerHandlers, due: CustomerTimerRow): Promise<void> {
  const { global } = services.database;
  const again = await handlers[due.kind](services, due);
  if (again === null) await deleteTimer(global, due);
  else await moveTimer(global, due, again);
}
