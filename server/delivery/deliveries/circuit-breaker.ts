import type { SiteDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';
import { reserveSlot } from '#server/tools/clients/reservations.ts';
import type { OwnerNotice } from '#server/tools/health/owner-notices.mails.ts';
import { recordToolFailure } from '#server/tools/health/tool-failures.ts';
import {
  findIntegration,
  type IntegrationRow,
  lockIntegration,
  claimHalfOpenProbe,
  updateIntegration,
} from '#server/tools/integrations/integrations.ts';
import type { CompletedAttempt } from './attempt-result.ts';
import { expediteDeliveriesTo, retryReservationsOf } from './deliveries.ts';

/*
 * Circuit breaker for tools. After several failures in a row the circuit opens and no delivery calls the tool. From
 * time to time one delivery goes through as a probe (half-open). When a probe succeeds, the circuit closes and all
 * waiting deliveries run.
 */

/** Longer than a probe takes. */
const PROBE_SECONDS = 60;
/** Waiting deliveries retry at spaced times, so that there is always one to probe with, however many wait. */
const SPACING_MS = 10_000;
const MAX_AHEAD_MS = 6 * 3_600_000;

/** @returns seconds until the next retry while the circuit is open; null: go ahead, possibly as the probe */
export async function secondsUntilRetry(
  services: Services,
  integration: IntegrationRow,
): Promise<number | null> {
  const { site_id: siteId, id, rests_until: until } = integration;
  if (until === null) return null;
  const now = services.clock.now();
  if (until <= now) {
    const next = new Date(now.getTime() + PROBE_SECONDS * 1000);
    const isOurs = await services.database.inSite(siteId, (site) =>
      claimHalfOpenProbe(site, id, { until, next }),
    );
    if (isOurs) return null;
  }
  const place = await reserveSlot(services, retryReservationsOf(id), SPACING_MS, MAX_AHEAD_MS);
  return (Math.max(place.getTime(), until.getTime()) - now.getTime()) / 1000;
}

/** The tool accepted a call: clear its failures and run what is waiting for it. */
export async function recordToolSuccess(
  services: Services,
  site: SiteDb,
  integrationId: string,
): Promise<void> {
  const integration = await findIntegration(site, integrationId);
  if (integration === undefined) return;
  const { status, failing_since: since } = integration;
  if (since !== null || status !== 'connected') {
    await updateIntegration(site, integrationId, {
      status: 'connected',
      status_reason: null,
      failing_since: null,
    });
  }
  await closeCircuit(services, site, integration);
}

/** The tool answers again. */
async function closeCircuit(services: Services, site: SiteDb, integration: IntegrationRow): Promise<void> {
  const { id, consecutive_failures: failures, rests_until: until } = integration;
  if (failures === 0 && until === null) return;
  // When several deliveries close the circuit at once, one of them expedites the waiting ones.
  const isResting = until !== null && ((await lockIntegration(site, id))?.rests_until ?? null) !== null;
  await updateIntegration(site, id, { consecutive_failures: 0, rests_until: null });
  if (!isResting) return;
  await expediteDeliveriesTo(services, site, id);
}

/**
 * Records a failed attempt. A tool that refuses one person's change is not itself failing.
 * @returns the notice to send to the owners, once per outage
 */
export async function recordFailedToolAttempt(
  services: Services,
  site: SiteDb,
  integrationId: string,
  failure: Pick<CompletedAttempt, 'outcome' | 'error'>,
  now: Date,
): Promise<OwnerNotice | null> {
  if (failure.outcome !== 'refused' && failure.outcome !== 'not_found') {
    return recordToolFailure(site, integrationId, failure, now);
  }
  const integration = await lockIntegration(site, integrationId);
  if (integration === undefined) return null;
  // The tool answers, so an old `failing_since` must not switch it off at the next failure.
  const isFailing = integration.failing_since !== null && integration.status === 'connected';
  if (isFailing) await updateIntegration(site, integrationId, { failing_since: null });
  await closeCircuit(services, site, integration);
  return null;
}
