import { setTimeout as sleep } from 'node:timers/promises';
import { allSiteIds } from '#server/accounts/sites/sites.ts';
import { isInTestMode } from '#server/accounts/sites/test-rules.ts';
import { intervalTask } from '#server/platform/interval-worker.ts';
import type { Services } from '#server/platform/services.ts';
import { detached } from '#server/platform/tenant-budget.ts';
import { anyHeld, lockHeld, updateDeliveries } from './deliveries.sql.ts';
import { announceWork } from './delivery-queue.ts';

/*
 * What is held in test mode has no next attempt until its site is live (decision 043). A site may have held any number of
 * deliveries, so they are released in slices that commit one by one.
 */

const SLICE_SIZE = 5000;
const SWEEP_EVERY_MS = 60_000;
const BETWEEN_SITES_MS = 5;

/**
 * Releases what is still held on live sites: what a process left behind when it died, or held because it had not yet
 * heard of the site going live.
 */
export const HELD_DELIVERIES = intervalTask({
  name: 'held-deliveries',
  everyMs: SWEEP_EVERY_MS,
  immediately: true,
  run: releaseOnAllSites,
});

/** Releases what a site has held, once it is committed that the site is live. Waits for the first slice only. */
export async function releaseHeld(services: Services, siteId: string): Promise<void> {
  try {
    if (await releaseSlice(services, siteId)) void detached(() => releaseAll(services, siteId));
  } catch (error) {
    warn(services, siteId, error);
  }
}

async function releaseOnAllSites(services: Services, signal: AbortSignal): Promise<void> {
  const { database } = services;
  for await (const siteId of allSiteIds(database.global)) {
    if (signal.aborted) return;
    const held = await database
      .readOnce(siteId, (db) => anyHeld(db, siteId))
      .catch((error: unknown) => {
        warn(services, siteId, error);
        return [];
      });
    if (held.length > 0) await releaseAll(services, siteId, signal);
    await sleep(BETWEEN_SITES_MS, undefined, { ref: false });
  }
}

async function releaseAll(services: Services, siteId: string, signal?: AbortSignal): Promise<void> {
  try {
    while (signal?.aborted !== true && (await releaseSlice(services, siteId)));
  } catch (error) {
    warn(services, siteId, error);
  }
}

/** @returns whether there may be more */
async function releaseSlice(services: Services, siteId: string): Promise<boolean> {
  if (await isInTestMode(services, siteId)) return false;
  const now = services.clock.now();
  return services.database.inSite(siteId, async (site) => {
    const ids = await lockHeld(site, SLICE_SIZE);
    if (ids.length === 0) return false;
    await updateDeliveries(site, ids, { next_attempt_at: now, outcome: null });
    await site.commitWith([announceWork(services, site, now)]);
    return ids.length === SLICE_SIZE;
  });
}

function warn({ log }: Services, siteId: string, error: unknown): void {
  log.warn({ err: error, site: siteId }, 'held deliveries could not be released and will be tried again');
}
