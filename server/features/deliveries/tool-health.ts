import { findIntegration, updateIntegration } from '#server/features/integrations/integrations.sql.ts';
import type { SiteDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';
import type { Attempted } from './carried.ts';
import { type OwnersMail, toolTroubleMail } from './deliveries.mails.ts';
import { GIVE_UP_AFTER_DAYS, hasFailedForLong } from './retries.ts';

/** The tool took something: whatever was wrong with it is over. */
export async function noteToolWell(site: SiteDb, integrationId: string): Promise<void> {
  const integration = await findIntegration(site, integrationId);
  if (integration === undefined) return;
  if (integration.failing_since === null && integration.status === 'connected') return;
  await updateIntegration(site, integrationId, {
    status: 'connected',
    status_reason: null,
    failing_since: null,
  });
}

/**
 * Keeps what is wrong with a tool. That it refuses one person's change says nothing about the tool.
 * @returns what the owners have to be told, once for each trouble
 */
export async function noteToolFailure(
  services: Services,
  site: SiteDb,
  integrationId: string,
  { outcome, error }: Pick<Attempted, 'outcome' | 'error'>,
  now: Date,
): Promise<OwnersMail | null> {
  if (outcome === 'refused' || outcome === 'not_found') return null;
  const integration = await findIntegration(site, integrationId);
  if (integration === undefined) return null;
  const since = integration.failing_since ?? now;
  const status =
    outcome === 'bad_credentials'
      ? 'credentials_refused'
      : hasFailedForLong(since, now)
        ? 'switched_off'
        : integration.status;
  const isNews = status !== integration.status;
  if (!isNews && integration.failing_since !== null) return null;
  const reason =
    status === 'switched_off'
      ? `It failed for ${GIVE_UP_AFTER_DAYS} days without one success: ${error ?? ''}`
      : (error ?? '');
  await updateIntegration(site, integrationId, {
    failing_since: since,
    ...(isNews ? { status, status_reason: reason } : {}),
  });
  if (!isNews) return null;
  const link = `${services.config.appUrl}/integrations`;
  return toolTroubleMail({ integration: integration.name, reason, link });
}
