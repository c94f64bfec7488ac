import type { Attempt } from '#contract/deliveries.ts';
import { isKeyAlone } from '#contract/integrations.ts';
import { findConnector } from '#server/connectors/index.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { GIVE_UP_AFTER_DAYS, hasFailedForLong } from '#server/platform/retries.ts';
import type { Services } from '#server/platform/services.ts';
import {
  type IntegrationRow,
  lockIntegration,
  updateIntegration,
} from '#server/tools/integrations/integrations.sql.ts';
import type { OwnerNotice } from './owner-notices.mails.ts';
import { notifyOwners } from './notify-owners.ts';

const FAILURES_BEFORE_OPEN = 5;
const MIN_OPEN_SECONDS = 30;
const MAX_OPEN_SECONDS = 300;

/**
 * Records that a tool is unavailable or refuses its credentials; opens the circuit after several failures in a row.
 * @returns the notice to send to the owners, once per outage
 */
export async function recordToolFailure(
  site: SiteDb,
  integrationId: string,
  { outcome, error }: Pick<Attempt, 'outcome' | 'error'>,
  now: Date,
): Promise<OwnerNotice | null> {
  const integration = await lockIntegration(site, integrationId);
  if (integration === undefined) return null;
  const since = integration.failing_since ?? now;
  const status =
    outcome === 'bad_credentials'
      ? 'credentials_refused'
      : hasFailedForLong(since, now)
        ? 'switched_off'
        : integration.status;
  const isNews = status !== integration.status;
  const reason =
    status === 'switched_off'
      ? `Every delivery failed for ${GIVE_UP_AFTER_DAYS} days: ${error ?? ''}`
      : (error ?? '');
  await updateIntegration(site, integrationId, {
    failing_since: since,
    ...(isNews ? { status, status_reason: reason } : {}),
    ...(outcome === 'unavailable' ? countFailure(integration.consecutive_failures, since, now) : {}),
  });
  if (!isNews) return null;
  const { name, connected_by: connectedBy, provider } = integration;
  const rejected = isKeyAlone(connectedBy, findConnector(provider)) ? 'key' : 'credentials';
  const why = status === 'switched_off' ? 'failing' : rejected;
  return { kind: 'tool_trouble', integrationId, name, why, detail: error ?? '' };
}

function countFailure(before: number, since: Date, now: Date) {
  const failures = before + 1;
  return {
    consecutive_failures: failures,
    ...(failures < FAILURES_BEFORE_OPEN ? {} : { rests_until: openUntil(now, since) }),
  };
}

/** The longer the outage, the longer the circuit stays open between probes. */
function openUntil(now: Date, since: Date): Date {
  const awaySeconds = (now.getTime() - since.getTime()) / 1000;
  const seconds = Math.min(MAX_OPEN_SECONDS, Math.max(MIN_OPEN_SECONDS, awaySeconds / 4));
  return new Date(now.getTime() + seconds * 1000);
}

/** For callers other than deliveries: the tool refuses its credentials. Owners are notified once. */
export async function recordRefusedCredentials(
  services: Services,
  { site_id: siteId, id }: Pick<IntegrationRow, 'site_id' | 'id'>,
  error: string,
): Promise<void> {
  const notice = await services.database.inSite(siteId, (site) =>
    recordToolFailure(site, id, { outcome: 'bad_credentials', error }, services.clock.now()),
  );
  if (notice !== null) await notifyOwners(services, siteId, notice);
}
