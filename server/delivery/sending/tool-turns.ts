import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { giveTurnsBack, renewTurns, takeTurns, type Turn } from './tool-turns.sql.ts';

/** A worker that was killed gives its turn back by then; one that works for longer renews its lease. */
const TURN_SECONDS = 120;
const RENEW_EVERY_MS = 30_000;

interface Place {
  siteId: string;
  integrationId: string;
}

/**
 * Does something with customers in a tool while nobody else does: two deliveries of one customer to one integration
 * never run at the same time (design section 6).
 * @param turns of different customers; a run that has a turn may take it once more
 * @param work gets the ids of the customers whose turn it was to be had; the others are somebody else's
 */
export async function inTurns<T>(
  services: Services,
  { siteId, integrationId }: Place,
  turns: readonly Turn[],
  work: (ours: ReadonlySet<string>) => Promise<T>,
): Promise<T> {
  const { database, clock, log } = services;
  const untilFrom = (now: Date) => new Date(now.getTime() + TURN_SECONDS * 1000);
  const now = clock.now();
  const taken = await database.inSite(siteId, (site) =>
    takeTurns(site, integrationId, turns, { now, until: untilFrom(now) }),
  );
  const ours = new Set(taken);
  if (ours.size === 0) return work(ours);
  const own = turns.filter(({ customerId }) => ours.has(customerId));
  // Some tools store a change in jobs of their own, which take minutes.
  const renewing = setInterval(() => {
    database
      .inSite(siteId, (site) => renewTurns(site, integrationId, own, untilFrom(clock.now())))
      .catch((error: unknown) =>
        log.warn({ err: error }, 'the lease of a customer in a tool could not be renewed'),
      );
  }, RENEW_EVERY_MS);
  try {
    return await work(ours);
  } finally {
    clearInterval(renewing);
    await database.inSite(siteId, (site) => giveTurnsBack(site, integrationId, own));
  }
}

/**
 * The same with one customer.
 * @returns null when somebody else has the turn
 */
export function inTurn<T>(
  services: Services,
  { customerId, run = newId(), ...place }: Place & { customerId: string; run?: string },
  work: () => Promise<T>,
): Promise<T | null> {
  return inTurns(services, place, [{ customerId, run }], async (ours) => (ours.size === 0 ? null : work()));
}
