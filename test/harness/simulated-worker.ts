import type pg from 'pg';
import { deliverNow } from '#server/features/deliveries/deliveries.jobs.ts';
import type { Job } from '#server/platform/queue.ts';
import type { Services } from '#server/platform/services.ts';
import type { SimulatedClock } from './simulated-clock.ts';

/** As many as one process has in hand. */
const AT_ONCE = 24;

const LOOK_EVERY_MS = 1000;

/** Takes jobs that are due; what is due later is left. */
async function takeJobs(owner: pg.Pool, now: Date, most: number): Promise<Job[]> {
  const { rows } = await owner.query<{ data: Job }>(
    `delete from queue.job where name = 'deliveries' and id in (
       select id from queue.job where name = 'deliveries' and state = 'created' and start_after <= $1
       order by start_after, id limit $2 for update skip locked)
     returning data`,
    [now, most],
  );
  return rows.map(({ data }) => data);
}

async function nextDueAt(owner: pg.Pool): Promise<Date | null> {
  const { rows } = await owner.query<{ at: Date | null }>(
    "select min(start_after) as at from queue.job where name = 'deliveries' and state = 'created'",
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

  function begin(job: Job): void {
    const running = clock.work(() => deliverNow(services, job)).finally(() => inHand.delete(running));
    inHand.add(running);
  }

  await clock.work(async () => {
    for (;;) {
      const jobs = await takeJobs(owner, clock.now(), AT_ONCE - inHand.size);
      for (const job of jobs) begin(job);
      if (inHand.size === AT_ONCE) await clock.until(Promise.race(inHand));
      else if (jobs.length === 0) {
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
