import type { Services } from '#server/platform/services.ts';
import type { Work } from './carried.ts';
import { type DeliveryChanges, updateDeliveryInRound } from './deliveries.sql.ts';
import { announceWork } from './delivery-queue.ts';

/** Keeps what came of a delivery that needs nothing more, unless somebody else has recorded an attempt meanwhile. */
export async function settle(
  services: Services,
  { delivery, choice: { site_id: siteId } }: Work,
  changes: DeliveryChanges,
): Promise<void> {
  await services.database.inSite(siteId, (site) =>
    site.commitWith([
      updateDeliveryInRound(site, delivery.id, delivery.attempt_count, { ...changes, next_attempt_at: null }),
    ]),
  );
}

/** It comes again in so many seconds; no try was used. */
export async function reschedule(
  services: Services,
  { delivery, choice: { site_id: siteId } }: Work,
  seconds: number,
  changes: DeliveryChanges = {},
): Promise<void> {
  const dueAt = new Date(services.clock.now().getTime() + seconds * 1000);
  await services.database.inSite(siteId, (site) =>
    site.commitWith([
      updateDeliveryInRound(site, delivery.id, delivery.attempt_count, {
        ...changes,
        next_attempt_at: dueAt,
      }),
      announceWork(services, site, dueAt),
    ]),
  );
}
