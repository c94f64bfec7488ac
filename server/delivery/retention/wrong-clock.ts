import { announceWork } from '#server/delivery/deliveries/delivery-queue.ts';
import type { GlobalDb, SiteDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';

/*
 * A clock that was ahead leaves times behind that nothing reaches for as long as it was ahead. No wait here is longer
 * than a day on purpose, so what is due later than in two days is due now.
 */

const LONGEST_MS = 2 * 86_400_000;

const WAITS = [
  ['deliveries', 'next_attempt_at'],
  ['sites_with_work', 'due_at'],
  ['sites_with_work', 'hold_until'],
  ['site_domains', 'next_check_at'],
  ['token_renewals', 'locked_until'],
  ['link_fields', 'full_sync_due_at'],
] as const;

const datesOf = ({ clock }: Services): [now: Date, latest: Date] => {
  const now = clock.now();
  return [now, new Date(now.getTime() + LONGEST_MS)];
};

/** Pulls back the waits of a site's deliveries, domains and tools. */
export async function pullBackWaits(services: Services, siteId: string): Promise<void> {
  const [now, latest] = datesOf(services);
  const pullBack = async (site: SiteDb) => {
    let found = 0;
    for (const [table, column] of WAITS) {
      const { rows } = await site.query(
        `update ${table} set ${column} = $2 where site_id = $1 and ${column} > $3 returning true`,
        [site.id, now, latest],
      );
      found += rows.length;
    }
    if (found === 0) return;
    const mark = announceWork(services, site, now);
    await site.query(mark.sql, [...mark.parameters]);
  };
  await services.database.inSite(siteId, pullBack);
}

/** Pulls back the rate limits of all tool accounts. */
export async function pullBackSlots(services: Services, global: GlobalDb): Promise<void> {
  await global.query(
    'update tool_rate_limits set next_slot_at = $1 where next_slot_at > $2',
    datesOf(services),
  );
}
