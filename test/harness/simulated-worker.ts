import type pg from 'pg';
import { deliverNow } from '#server/delivery/sending/deliveries.jobs.ts';
import type { Services } from '#server/platform/services.ts';
import type { SimulatedClock } from './simulated-clock.ts';

/** As many as one process has in hand. */
const AT_ONCE = 24;

const LOOK_EVERY_MS = 1000;

interface Due {
  site_id: string;
  id: string;
  round: number;
}

/** Longer than any of them takes. */
const LEASE_MS = 3_600_000;

/** Leases what is due; what is due later is left. */
async function lease(owner: pg.Pool, now: Date, most: number): Promise<Due[]> {
  const { rows } = await owner.query<Due>(
    `update deliveries set next_attempt_at = $2 where (site_id, id) in (
       select site_id, id from deliveries where next_attempt_at <= $1
       order by next_attempt_at, id limit $3 for update skip locked)
     returning site_id, id, attempt_count as round`,
    [now, new Date(now.getTime() + LEASE_MS), most],
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
 * Works off deliveries in simulated time until everything is done.
 * @param isOver nothing new comes any more
 */
export async function workOff(
  { services, owner, clock }: { services: Services; owner: pg.Pool; clock: SimulatedClock },
  isOver: () => boolean,
): Promise<void> {
  const inHand = new Set<Promise<void>>();

  function begin(due: Due): void {
    const running = clock.work(() => deliverNow(services, due)).finally(() => inHand.delete(running));
    inHand.add(running);
  }

  await clock.work(async () => {
    for (;;) {
      const leased = await lease(owner, clock.now(), AT_ONCE - inHand.size);
      for (const due of leased) begin(due);
      if (inHand.size === AT_ONCE) await clock.until(Promise.race(inHand));
      else if (leased.length === 0) {
        const next = await nextDueAt(owner);
        if (next === null && inHand.size === 0 && isOver()) return;
        const ms = next === null ? LOOK_EVERY_MS : next.getTime() - clock.now().getTime();
        // Like a worker it looks every second, because a job may come in between.
        const canCome = inHand.size > 0 || !isOver();
        await clock.wait(canCome ? Math.min(LOOK_EVERY_MS, Math.max(1, ms)) : Math.max(1, ms));
      }
    }
  });
}
