import { siteTag } from '#server/accounts/sites/change-site.ts';
import { type ActionRow, updateAction } from '#server/delivery/actions/actions.sql.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { hasFailedForLong } from '#server/platform/retries.ts';
import type { Services } from '#server/platform/services.ts';
import { type OwnerNotice, reasonOfAction } from '#server/tools/health/owner-notices.mails.ts';
import type { Attempted } from './carried.ts';

/** The endpoint took something: whatever was wrong with it is over. */
export async function noteEndpointWell(services: Services, site: SiteDb, action: ActionRow): Promise<void> {
  if (action.failing_since === null) return;
  await updateAction(site, action.id, { failing_since: null });
  await services.cache.announce(site, siteTag(site.id));
}

/**
 * The action keeps since when its endpoint fails, and is switched off in the end.
 * @returns what the owners have to be told
 */
export async function noteEndpointFailure(
  services: Services,
  site: SiteDb,
  action: ActionRow,
  carried: Attempted,
  now: Date,
): Promise<OwnerNotice | null> {
  const failingSince = action.failing_since ?? now;
  const why = whyToSwitchOff(carried, failingSince, now);
  if (action.failing_since === null || why !== null) {
    await updateAction(site, action.id, {
      failing_since: failingSince,
      ...(why === null ? {} : { enabled: false, disabled_reason: reasonOfAction(why) }),
    });
    await services.cache.announce(site, siteTag(site.id));
  }
  return why === null ? null : { kind: 'action_off', name: action.name, why };
}

function whyToSwitchOff(
  { isFinal, outcome }: Attempted,
  failingSince: Date,
  now: Date,
): 'gone' | 'failing' | null {
  // Mail servers refuse addresses for good that they take tomorrow; only a receiver says of itself that it is gone.
  if (isFinal && outcome === 'not_found') return 'gone';
  return hasFailedForLong(failingSince, now) ? 'failing' : null;
}
