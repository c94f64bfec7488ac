import { siteTag } from '#server/accounts/sites/change-site.ts';
import { type ActionRow, updateAction } from '#server/delivery/actions/actions.sql.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { hasFailedForLong } from '#server/platform/retries.ts';
import type { Services } from '#server/platform/services.ts';
import { type OwnerNotice, reasonOfAction } from '#server/tools/health/owner-notices.mails.ts';
import type { CompletedAttempt } from './attempt-result.ts';

/** The endpoint accepted a message: clear its failures. */
export async function recordEndpointSuccess(
  services: Services,
  site: SiteDb,
  action: ActionRow,
): Promise<void> {
  if (action.failing_since === null) return;
  await updateAction(site, action.id, { failing_since: null });
  await services.cache.announce(site, siteTag(site.id));
}

/**
 * Records since when the endpoint has been failing, and switches the action off after too long.
 * @returns the notice to send to the owners
 */
export async function recordEndpointFailure(
  services: Services,
  site: SiteDb,
  action: ActionRow,
  result: CompletedAttempt,
  now: Date,
): Promise<OwnerNotice | null> {
  const failingSince = action.failing_since ?? now;
  const why = whyToSwitchOff(result, failingSince, now);
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
  { isFinal, outcome }: CompletedAttempt,
  failingSince: Date,
  now: Date,
): 'gone' | 'failing' | null {
  // Mail servers permanently refuse addresses that they accept tomorrow; only an HTTP receiver can say that it is
  // gone.
  if (isFinal && outcome === 'not_found') return 'gone';
  return hasFailedForLong(failingSince, now) ? 'failing' : null;
}
