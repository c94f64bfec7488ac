import type { Attempt } from '#contract/deliveries.ts';
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
 * Keeps that a tool does not answer, or refuses its credentials; after several failures in a row it rests.
 * @returns what the owners have to be told, once for each trouble
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
      ? `It failed for ${GIVE_UP_AFTER_DAYS} days without one success: ${error ?? ''}`
      : (error ?? '');
  await updateIntegration(site, integrationId, {
    failing_since: since,
    ...(isNews ? { status, status_reason: reason } : {}),
    ...(outcome === 'unavailable' ? countFailure(integration.failures_in_a_row, since, now) : {}),
  });
  if (!isNews) return null;
  const why = status === 'switched_off' ? 'failing' : 'refused';
  return { kind: 'tool_trouble', name: integration.name, why, detail: error ?? '' };
}

function countFailure(before: number, since: Date, now: Date) {
  const failures = before + 1;
  return {
    failures_in_a_row: failures,
    ...(failures < FAILURES_BEFORE_OPEN ? {} : { rests_until: openUntil(now, since) }),
  };
}

/** The longer it has been away, the less often it is tried. */
function openUntil(now: Date, since: Date): Date {
  const awaySeconds = (now.getTime() - since.getTime()) / 1000;
  const seconds = Math.min(MAX_OPEN_SECONDS, Math.max(MIN_OPEN_SECONDS, awaySeconds / 4));
  return new Date(now.getTime() + seconds * 1000);
}

/** What is found out beside a delivery: the tool takes its credentials no more. Its owners are told once. */
export async function recordRefusedCredentials(
  services: Services,
  { site_id: siteId, id }: Pick<IntegrationRow, 'site_id' | 'id'>,
  error: string,
): Promise<void> {
  const news = await services.database.inSite(siteId, (site) =>
    recordToolFailure(site, id, { outcome: 'bad_credentials', error }, services.clock.now()),
  );
  if (news !== null) await notifyOwners(services, siteId, news);
}
