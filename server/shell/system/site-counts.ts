import { setTimeout as sleep } from 'node:timers/promises';
import { allSiteIds } from '#server/accounts/sites/sites.ts';
import { DELIVERY_DUE_MS } from '#server/delivery/deliveries/deliveries.ts';
import { firstIdAt } from '#server/platform/ids.ts';
import { intervalTask } from '#server/platform/interval-worker.ts';
import type { Services } from '#server/platform/services.ts';
import { type ToolState, toolStates, type WaitingDeliveries, waitingDeliveries } from './metrics.sql.ts';

interface SiteCounts {
  /** Connected tools by their state. */
  tools: readonly ToolState[];
  deliveries: WaitingDeliveries;
}

const NONE: SiteCounts = { tools: [], deliveries: { waiting: 0, late: 0, oldest: null } };

const counted = new WeakMap<Services['database'], SiteCounts>();

/** Sums over all sites as of this process's last count; zeros if it does not count. */
export function siteCountsOf({ database }: Services): SiteCounts {
  return counted.get(database) ?? NONE;
}

/** Counts site by site, slowly, so that the load stays low for any number of sites. */
const BETWEEN_SITES_MS = 20;

export const SITE_COUNTS = intervalTask({
  name: 'site-counts',
  everyMs: 60_000,
  immediately: true,
  run: countSites,
});

async function countSites(services: Services, signal: AbortSignal): Promise<void> {
  const tools = new Map<string, ToolState>();
  const deliveries: WaitingDeliveries = { waiting: 0, late: 0, oldest: null };
  for await (const id of allSiteIds(services.database.global)) {
    if (signal.aborted) return;
    const now = services.clock.now();
    const lateBefore = firstIdAt(new Date(now.getTime() - DELIVERY_DUE_MS));
    const [states, waiting] = await services.database.readSite(id, (site) =>
      Promise.all([toolStates(site, now), waitingDeliveries(site, lateBefore)]),
    );
    for (const { provider, status, tools: more } of states) {
      const key = `${provider} ${status}`;
      tools.set(key, { provider, status, tools: (tools.get(key)?.tools ?? 0) + more });
    }
    deliveries.waiting += waiting.waiting;
    deliveries.late += waiting.late;
    const oldest = [deliveries.oldest, waiting.oldest].filter((one) => one !== null);
    deliveries.oldest = oldest.toSorted()[0] ?? null;
    await sleep(BETWEEN_SITES_MS, undefined, { ref: false });
  }
  counted.set(services.database, { tools: [...tools.values()], deliveries });
}
