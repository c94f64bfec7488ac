import type pg from 'pg';
import { deliverNow } from '#server/delivery/sending/deliveries.jobs.ts';
import { createDispatcher, LIMITS, type Task } from '#server/delivery/deliveries/dispatcher.ts';
import type { Services } from '#server/platform/services.ts';
import type { SimulatedClock } from './simulated-clock.ts';

const LOOK_EVERY_MS = 1000;

interface Due {
  site_id: string;
  id: string;
  action_id: string;
  round: number;
}

/** A delivery as the dispatcher sees it. Every receiver is a tool here. */
interface Held extends Task {
  due: Due;
}

/** Longer than any of them takes. */
const LEASE_MS = 3_600_000;

/** Leases due deliveries, except those of actions in `without`, which have enough waiting. */
async function lease(owner: pg.Pool, now: Date, without: readonly string[]): Promise<Due[]> {
  const { rows } = await owner.query<Due>(
    `update deliveries set next_attempt_at = $2 where (site_id, id) in (
       select site_id, id from deliveries where next_attempt_at <= $1 and action_id <> all($3)
       order by next_attempt_at, id limit ${LIMITS.waitingOfTool} for update skip locked)
     returning site_id, id, action_id, attempt_count as round`,
    [now, new Date(now.getTime() + LEASE_MS), without],
  );
  return rows;
}

async function nextDueAt(owner: pg.Pool): Promise<Date | null> {
  const { rows } = await owner.query<{ at: Date | null }>(
    'select min(next_attempt_at) as at from deliveries',
  );
  return rows[0]?.at ?? null;
}

/**
 * Works off deliveries in simulated time until everything is done, with the slots that a process has.
 * @param isOver nothing new comes any more
 */
export async function workOff(
  { services, owner, clock }: { services: Services; owner: pg.Pool; clock: SimulatedClock },
  isOver: () => boolean,
): Promise<void> {
  const receivers = new Map<string, string>();
  const dispatcher = createDispatcher<Held>(
    async ({ due }) => {
      await clock.work(() => deliverNow(services, due));
      return 'answered';
    },
    () => {},
  );

  function add(due: Due): void {
    receivers.set(due.action_id, due.site_id);
    dispatcher.add({ siteId: due.site_id, receiver: due.action_id, isTool: true, due });
  }

  await clock.work(async () => {
    for (;;) {
      const crowded = [...receivers].filter(([receiver, siteId]) => dispatcher.isCrowded(siteId, receiver));
      const leased = await lease(
        owner,
        clock.now(),
        crowded.map(([receiver]) => receiver),
      );
      for (const due of leased) add(due);
      if (leased.length > 0) continue;
      const next = await nextDueAt(owner);
      const isHeld = !dispatcher.held()[Symbol.iterator]().next().done;
      if (next === null && !isHeld && isOver()) return;
      const ms = next === null ? LOOK_EVERY_MS : next.getTime() - clock.now().getTime();
      // Like a worker it looks every second, because a delivery may come in between.
      const canCome = isHeld || !isOver();
      await clock.wait(canCome ? LOOK_EVERY_MS : Math.max(1, ms));
    }
  });
}
