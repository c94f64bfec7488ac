import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { giveTurnBack, renewTurn, takeTurn } from './tool-turns.sql.ts';

/** A worker that was killed gives its turn back by then; one that works for longer renews its lease. */
const TURN_SECONDS = 120;
const RENEW_EVERY_MS = 30_000;

interface Place {
  siteId: string;
  integrationId: string;
  customerId: string;
  /** Who has the turn may take it once more; by default nobody has it yet. */
  run?: string;
}

/**
 * Does something with a customer in a tool while nobody else does: two deliveries of one customer to one integration
 * never run at the same time (design section 6).
 * @returns null when somebody else has the turn
 */
export async function inTurn<T>(
  services: Services,
  { siteId, integrationId, customerId, run = newId() }: Place,
  work: () => Promise<T>,
): Promise<T | null> {
  const turn = { integrationId, customerId, deliveryId: run };
  const untilFrom = (now: Date) => new Date(now.getTime() + TURN_SECONDS * 1000);
  const now = services.clock.now();
  const isOurs = await services.database.inSite(siteId, (site) =>
    takeTurn(site, turn, { now, until: untilFrom(now) }),
  );
  if (!isOurs) return null;
  // Some tools store a change in jobs of their own, which take minutes.
  const renewing = setInterval(() => {
    const until = untilFrom(services.clock.now());
    services.database
      .inSite(siteId, (site) => renewTurn(site, turn, until))
      .catch((error: unknown) =>
        services.log.warn({ err: error }, 'the lease of a customer in a tool could not be renewed'),
      );
  }, RENEW_EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(renewing);
    await services.database.inSite(siteId, (site) => giveTurnBack(site, turn));
  }
}
