import type { ScheduledTaskKind } from '#db/tables.ts';
import { type LeasedTask, leasedTask } from '#server/platform/leased-task.ts';
import type { Services } from '#server/platform/services.ts';
import { claimDueTask, pullBackTasks, updateClaimedTask } from './scheduled-tasks.sql.ts';

export { expediteTask, scheduleTask, unscheduleTasks } from './scheduled-tasks.sql.ts';

/** A slow tool holds up one of so many, of each kind. */
const CONCURRENCY = 8;

const LONGEST_MS = 24 * 3_600_000;

interface ScheduledTask {
  kind: ScheduledTaskKind;
  /**
   * One turn with one connected tool. What takes long does a part of it and says that it wants to go on at once.
   * @returns when the next turn is, in milliseconds from now
   */
  run: (
    services: Services,
    of: { siteId: string; integrationId: string },
    signal?: AbortSignal,
  ) => Promise<number>;
}

/** What is to be done with every connected tool from time to time. */
export function scheduledTask({ kind, run }: ScheduledTask): LeasedTask {
  return leasedTask({
    name: `scheduled-task-${kind}`,
    checkEveryMs: 15_000,
    leaseMs: 3 * 60_000,
    longestMs: LONGEST_MS,
    retryAfterMs: 5 * 60_000,
    concurrency: CONCURRENCY,
    pullBack: (global, dates) => pullBackTasks(global, { kind, ...dates }),
    claim: (tx, claim) => claimDueTask(tx, { kind, ...claim }),
    update: updateClaimedTask,
    async run(services, { row, signal }) {
      const of = { siteId: row.site_id, integrationId: row.integration_id };
      const waitMs = await run(services, of, signal);
      return { due_at: new Date(services.clock.now().getTime() + waitMs) };
    },
  });
}
