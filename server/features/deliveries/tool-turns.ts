import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { giveTurnBack, takeTurn } from './tool-turns.sql.ts';

/** Longer than all calls of one change; a worker that was killed gives its turn back by then. */
const TURN_SECONDS = 120;

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
  const now = services.clock.now();
  const until = new Date(now.getTime() + TURN_SECONDS * 1000);
  const isOurs = await services.database.inSite(siteId, (site) => takeTurn(site, turn, { now, until }));
  if (!isOurs) return null;
  try {
    return await work();
  } finally {
    await services.database.inSite(siteId, (site) => giveTurnBack(site, turn));
  }
}
