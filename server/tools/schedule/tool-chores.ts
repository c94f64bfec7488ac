import type { ToolChore } from '#db/tables.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { startTicks, type Ticks } from '#server/platform/ticks.ts';
import { type ChoreRow, claimDueChore, updateClaim } from './tool-chores.sql.ts';

export { beginChore, endChores, hurryChore } from './tool-chores.sql.ts';

/*
 * What is to be done with a connected tool from time to time. Each turn is one process's alone, for a lease that it makes
 * longer while it works; a worker that dies leaves its turn to the others.
 */

const LOOK_EVERY_MS = 15_000;
const LEASE_MS = 3 * 60_000;
const RENEW_EVERY_MS = 60_000;
/** After a turn that failed for a reason of ours, such as a database that went away. */
const AFTER_FAILURE_MS = 5 * 60_000;
/** A slow tool holds up one of so many, of each kind. */
const AT_ONCE = 8;

export interface Chore {
  kind: ToolChore;
  /**
   * One turn. What takes long does a part of it and says that it wants to go on at once.
   * @returns when the next turn is, in milliseconds from now
   */
  turn(
    services: Services,
    of: { siteId: string; integrationId: string },
    signal?: AbortSignal,
  ): Promise<number>;
}

/** Does the chore in this process, whenever it is due for a tool. */
export function startChore(services: Services, chore: Chore): Ticks {
  return startTicks(`tool-chore-${chore.kind}`, LOOK_EVERY_MS, services.log, (signal) =>
    doDue(services, chore, signal),
  );
}

const later = (services: Services, ms: number) => new Date(services.clock.now().getTime() + ms);

/** Takes every turn that is due now. */
export async function doDue(services: Services, chore: Chore, signal?: AbortSignal): Promise<void> {
  await Promise.all(Array.from({ length: AT_ONCE }, () => oneAfterTheOther(services, chore, signal)));
}

async function oneAfterTheOther(services: Services, chore: Chore, signal?: AbortSignal): Promise<void> {
  while (signal?.aborted !== true) {
    const { kind } = chore;
    const claim = await services.database.inTransaction((tx) =>
      claimDueChore(tx, {
        kind,
        now: services.clock.now(),
        until: later(services, LEASE_MS),
        lease: newId(),
      }),
    );
    if (claim === undefined) return;
    await doWhileClaimed(services, chore, claim, signal);
  }
}

async function doWhileClaimed(
  services: Services,
  chore: Chore,
  claim: ChoreRow,
  signal?: AbortSignal,
): Promise<void> {
  const { global } = services.database;
  const renewing = setInterval(() => {
    updateClaim(global, claim, { due_at: later(services, LEASE_MS) }).catch((error: unknown) =>
      services.log.warn({ err: error }, 'the turn with a tool could not be made longer'),
    );
  }, RENEW_EVERY_MS);
  let waitMs = AFTER_FAILURE_MS;
  try {
    const of = { siteId: claim.site_id, integrationId: claim.integration_id };
    waitMs = await chore.turn(services, of, signal);
  } catch (error) {
    services.log.warn({ err: error, chore: claim }, 'a turn with a tool failed and will be taken again');
  } finally {
    clearInterval(renewing);
  }
  await updateClaim(global, claim, { due_at: later(services, waitMs), lease: null });
}
