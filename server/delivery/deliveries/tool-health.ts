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
import type { Attempted } from './carried.ts';
import { hurryDeliveriesTo, restLineOf } from './deliveries.ts';

/*
 * A tool that does not answer, several times in a row, rests: nobody calls it but one delivery from time to time, which
 * tries whether it is back. When it is, everything that waits for it goes out.
 */

/** Longer than a try takes. */
const TRY_SECONDS = 60;
/** Those who wait come one after the other, so that there is always somebody who tries, however many there are. */
const APART_MS = 10_000;
const LONGEST_LINE_MS = 6 * 3_600_000;

/**
 * @returns when to ask again about a tool that rests; null: go ahead, also as the one that tries whether it is back
 */
export async function secondsToRest(services: Services, integration: IntegrationRow): Promise<number | null> {
  const { site_id: siteId, id, rests_until: until } = integration;
  if (until === null) return null;
  const now = services.clock.now();
  if (until <= now) {
    const next = new Date(now.getTime() + TRY_SECONDS * 1000);
    const isOurs = await services.database.inSite(siteId, (site) => claimHalfOpenProbe(site, id, { until, next }));
    if (isOurs) return null;
  }
  const place = await reserveSlot(services, restLineOf(id), APART_MS, LONGEST_LINE_MS);
  return (Math.max(place.getTime(), until.getTime()) - now.getTime()) / 1000;
}

/** The tool took something: whatever was wrong with it is over, and what waits for it goes out. */
export async function noteToolWell(services: Services, site: SiteDb, integrationId: string): Promise<void> {
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
  await endRest(services, site, integration);
}

/** It answers. */
async function endRest(services: Services, site: SiteDb, integration: IntegrationRow): Promise<void> {
  const { id, failures_in_a_row: failures, rests_until: until } = integration;
  if (failures === 0 && until === null) return;
  // Of several that find it back at the same time, one sends out what waits.
  const isResting = until !== null && ((await lockIntegration(site, id))?.rests_until ?? null) !== null;
  await updateIntegration(site, id, { failures_in_a_row: 0, rests_until: null });
  if (!isResting) return;
  await hurryDeliveriesTo(services, site, id);
}

/**
 * Keeps what is wrong with a tool. That it refuses one person's change says nothing about it.
 * @returns what the owners have to be told, once for each trouble
 */
export async function noteToolFailure(
  services: Services,
  site: SiteDb,
  integrationId: string,
  failure: Pick<Attempted, 'outcome' | 'error'>,
  now: Date,
): Promise<OwnerNotice | null> {
  if (failure.outcome !== 'refused' && failure.outcome !== 'not_found') {
    return recordToolFailure(site, integrationId, failure, now);
  }
  const integration = await lockIntegration(site, integrationId);
  if (integration === undefined) return null;
  // It answers: a failure of days ago does not switch it off with the next one.
  const isFailing = integration.failing_since !== null && integration.status === 'connected';
  if (isFailing) await updateIntegration(site, integrationId, { failing_since: null });
  await endRest(services, site, integration);
  return null;
}
