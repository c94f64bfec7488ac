import { siteById } from '#server/accounts/sites/sites.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { startTicks, type Ticks } from '#server/platform/ticks.ts';
import { nextNight } from '#server/tools/schedule/nights.ts';
import { deleteOldContent, type Progress } from './retention.ts';
import {
  claimDueRetention,
  insertRetention,
  type RetentionRow,
  sitesWithoutRetention,
  updateRetention,
} from './retention.sql.ts';

const LOOK_EVERY_MS = 60_000;
const LEASE_MS = 10 * 60_000;
/** After a turn that failed for a reason of ours, such as a database that went away. */
const AFTER_FAILURE_MS = 30 * 60_000;
const SITES_AT_ONCE = 500;

/** Deletes old content of deliveries once a night for each site, in one of all processes. */
export function startRetention(services: Services): Ticks {
  return startTicks('retention', LOOK_EVERY_MS, services.log, (signal) => deleteDueContent(services, signal));
}

export async function deleteDueContent(services: Services, signal?: AbortSignal): Promise<void> {
  await noteNewSites(services);
  while (signal?.aborted !== true) {
    const claim = await services.database.inTransaction((tx) =>
      claimDueRetention(tx, { now: services.clock.now(), until: later(services, LEASE_MS), lease: newId() }),
    );
    if (claim === undefined) return;
    await takeTurn(services, claim, signal);
  }
}

const later = ({ clock }: Services, ms: number) => new Date(clock.now().getTime() + ms);

/** Their first turn is in the coming night. */
async function noteNewSites(services: Services): Promise<void> {
  const { global } = services.database;
  const now = services.clock.now();
  for (;;) {
    const ids = await sitesWithoutRetention(global, SITES_AT_ONCE);
    if (ids.length === 0) return;
    await insertRetention(
      global,
      ids.map((id) => ({ site_id: id, due_at: nightOf(id, now) })),
    );
    if (ids.length < SITES_AT_ONCE) return;
  }
}

/** Another time of the night than that of the site's evidence. */
const nightOf = (siteId: string, now: Date) => nextNight(`retention:${siteId}`, now);

/** A process that is told to stop, or dies, leaves the rest to another one. */
async function takeTurn(services: Services, claim: RetentionRow, signal?: AbortSignal): Promise<void> {
  const { global } = services.database;
  const keep = async (progress: Partial<Progress>) => {
    const isOurs = await updateRetention(global, claim, { ...progress, due_at: later(services, LEASE_MS) });
    return isOurs && signal?.aborted !== true;
  };
  let dueAt = later(services, AFTER_FAILURE_MS);
  try {
    const site = await siteById(global, claim.site_id);
    if (site !== undefined) {
      const { id: siteId, delivery_content_days: days } = site;
      await deleteOldContent(services, { siteId, days, from: claim, keep });
    }
    const now = services.clock.now();
    dueAt = signal?.aborted === true ? now : nightOf(claim.site_id, now);
  } catch (error) {
    const message = 'old content of deliveries could not be deleted and will be again';
    services.log.warn({ err: error, site: claim.site_id }, message);
  }
  await updateRetention(global, claim, { due_at: dueAt, lease: null });
}
