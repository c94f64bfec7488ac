import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '#server/platform/log.ts';
import { detached } from '#server/platform/tenant-budget.ts';

/** So many sites are looked at together when workers go through those with something due. */
export const SITES_AT_ONCE = 50;
/** Slots that looks have freed are filled this often; sooner if all have ended. */
const REFILL_EVERY_MS = 50;

export interface Looks {
  /**
   * Leases what is due of a site. While a look at it is under way, another one follows.
   * @returns whether the look succeeded; never rejects
   */
  look(siteId: string): Promise<boolean>;
  underWay(): readonly string[];
  /** Resolves when all looks that are under way now have ended. */
  ended(): Promise<unknown>;
}

/** One look at a site at a time. @param leaseAll leases what is due of a site */
export function createLooks(log: Log, leaseAll: (siteId: string) => Promise<void>): Looks {
  const looking = new Map<string, Promise<boolean>>();
  const again = new Set<string>();

  function look(siteId: string): Promise<boolean> {
    const underWay = looking.get(siteId);
    if (underWay !== undefined) {
      again.add(siteId);
      return underWay;
    }
    const looked = detached(() => leaseAll(siteId))
      .then(() => true)
      .catch((error: unknown) => {
        log.warn({ err: error, site: siteId }, 'deliveries could not be leased');
        return false;
      })
      .finally(() => {
        looking.delete(siteId);
        if (again.delete(siteId)) void look(siteId);
      });
    looking.set(siteId, looked);
    return looked;
  }

  return { look, underWay: () => [...looking.keys()], ended: () => Promise.all(looking.values()) };
}

export interface DueSites {
  /** Sites with something due, the longest overdue first. A look that succeeds takes its site out of them. */
  read(asked: { without: readonly string[]; limit: number }): Promise<readonly string[]>;
  /** Is there room for more deliveries in memory? */
  hasRoom(): boolean;
}

/**
 * Looks at all sites with something due, a bounded number at a time; where there is no room, at the first of them only,
 * because a site may always add one delivery. A look that hangs holds up nothing but its own slot, and a site that fails
 * is left to the next call, so that neither keeps the others waiting.
 */
export async function lookAtDueSites(looks: Looks, due: DueSites, signal: AbortSignal): Promise<void> {
  const failed = new Set<string>();

  async function look(siteId: string): Promise<void> {
    if (!(await looks.look(siteId))) failed.add(siteId);
  }

  while (!signal.aborted) {
    const underWay = looks.underWay();
    const limit = SITES_AT_ONCE - underWay.length;
    if (limit > 0) {
      const found = await due.read({ without: [...underWay, ...failed], limit });
      for (const siteId of found) void look(siteId);
      if (found.length < limit) return;
    }
    if (!due.hasRoom()) return;
    await Promise.race([looks.ended(), sleep(REFILL_EVERY_MS)]);
  }
}
