import type { LeaveReason } from '#contract/choices.ts';
import type { Services } from '#server/platform/services.ts';
import { reasonsSince, saveReason } from './reasons.sql.ts';

export { deleteReason, newestReasons } from './reasons.sql.ts';

/** Why a customer left, which a stranger's word about the inbox doesn't say. It is asked afterwards and never required; the last answer counts. */
export async function recordReason(
  services: Services,
  siteId: string,
  { customerId, choiceId, isByStranger }: { customerId: string; choiceId: string; isByStranger?: true },
  reason: LeaveReason,
): Promise<void> {
  if (isByStranger) return;
  const now = services.clock.now();
  await services.database.inSite(siteId, (site) => saveReason(site, { choiceId, customerId, reason, now }));
}

/** How often each reason was given since a time, the most frequent first. */
export async function countReasons(
  services: Services,
  siteId: string,
  since: Date,
): Promise<{ reason: LeaveReason; count: number }[]> {
  const rows = await services.database.readSite(siteId, (site) => reasonsSince(site, since));
  return rows
    .map(({ reason, count }) => ({ reason, count: Number(count) }))
    .toSorted((a, b) => b.count - a.count || a.reason.localeCompare(b.reason));
}
