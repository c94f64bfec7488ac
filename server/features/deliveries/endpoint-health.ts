import { type ActionRow, updateAction } from '#server/features/actions/actions.sql.ts';
import { siteTag } from '#server/features/sites/change-site.ts';
import type { SiteDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';
import type { Attempted } from './carried.ts';
import { type OwnersMail, switchedOffMail } from './deliveries.mails.ts';
import { GIVE_UP_AFTER_DAYS, hasFailedForLong } from './retries.ts';

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
): Promise<OwnersMail | null> {
  const failingSince = action.failing_since ?? now;
  const reason = reasonToSwitchOff(carried, failingSince, now);
  if (action.failing_since === null || reason !== null) {
    await updateAction(site, action.id, {
      failing_since: failingSince,
      ...(reason === null ? {} : { enabled: false, disabled_reason: reason }),
    });
    await services.cache.announce(site, siteTag(site.id));
  }
  const link = `${services.config.appUrl}/actions`;
  return reason === null ? null : switchedOffMail({ action: action.name, reason, link });
}

function reasonToSwitchOff({ isFinal, outcome }: Attempted, failingSince: Date, now: Date): string | null {
  // Mail servers refuse addresses for good that they take tomorrow; only a receiver says of itself that it is gone.
  if (isFinal && outcome === 'not_found') return 'The receiver answered 410: it is gone for good.';
  return hasFailedForLong(failingSince, now)
    ? `It failed for ${GIVE_UP_AFTER_DAYS} days without one success.`
    : null;
}
