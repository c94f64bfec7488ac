import { siteById } from '#server/accounts/sites/sites.ts';
import { deleteOldKeptOptOuts } from '#server/audience/kept-opt-outs/kept-opt-outs.ts';
import { leasedTask, type Turn } from '#server/platform/leased-task.ts';
import { storeMissingTexts } from '#server/pages/shown-texts/shown-texts.ts';
import type { Services } from '#server/platform/services.ts';
import { LONGEST_NIGHT_MS, nextNightlyRun } from '#server/tools/schedule/nightly-schedule.ts';
import { forgetRecords } from './forget-records.ts';
import { deleteOldContent } from './retention.ts';
import {
  claimDueRetention,
  insertRetention,
  pullBackRetention,
  type RetentionRow,
  sitesWithoutRetention,
  updateRetention,
} from './retention.sql.ts';
import { pullBackSlots, pullBackWaits } from './wrong-clock.ts';

const SITES_AT_ONCE = 500;

/** Deletes old content of deliveries, and opt-outs that were kept for long enough, once a night for each site, in one of all processes. */
export const RETENTION = leasedTask<RetentionRow>({
  name: 'retention',
  checkEveryMs: 60_000,
  leaseMs: 10 * 60_000,
  longestMs: LONGEST_NIGHT_MS,
  retryAfterMs: 30 * 60_000,
  prepare,
  pullBack: pullBackRetention,
  claim: claimDueRetention,
  update: updateRetention,
  run: deleteContentOfSite,
});

async function prepare(services: Services): Promise<void> {
  await pullBackSlots(services, services.database.global);
  await scheduleNewSites(services);
}

/** Their first turn is in the coming night. */
async function scheduleNewSites(services: Services): Promise<void> {
  const { global } = services.database;
  const now = services.clock.now();
  for (;;) {
    const ids = await sitesWithoutRetention(global, SITES_AT_ONCE);
    if (ids.length === 0) return;
    await insertRetention(
      global,
      ids.map((id) => ({ site_id: id, due_at: nextRun(id, now) })),
    );
    if (ids.length < SITES_AT_ONCE) return;
  }
}

/** Another time of the night than that of the site's evidence. */
const nextRun = (siteId: string, now: Date) => nextNightlyRun(`retention:${siteId}`, now);

/** A process that is told to stop, or dies, leaves the rest to another one. */
async function deleteContentOfSite(services: Services, turn: Turn<RetentionRow>) {
  const { row, signal, renew } = turn;
  const site = await siteById(services.database.global, row.site_id);
  if (site !== undefined) {
    // Before anything goes: what pages said is stored for good.
    await storeMissingTexts(services, site.id);
    const { id: siteId, delivery_content_days: days } = site;
    await deleteOldContent(services, {
      siteId,
      days,
      from: row,
      keep: async (progress) => (await renew(progress)) && signal?.aborted !== true,
    });
    if (signal?.aborted !== true) await deleteOldKeptOptOuts(services, siteId);
    await forgetRecords(services, siteId, signal);
    await pullBackWaits(services, siteId);
  }
  const now = services.clock.now();
  return { due_at: signal?.aborted === true ? now : nextRun(row.site_id, now) };
}
