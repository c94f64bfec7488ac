import type { Services } from '#server/platform/services.ts';
import type { Work } from './attempt-result.ts';
import { type DeliveryChanges, updateDeliveryInRound } from './deliveries.sql.ts';
import { announceWork } from './delivery-queue.ts';

/** A delivery, and how many attempts it had when this one began. */
export interface Round {
  delivery: Pick<Work['delivery'], 'id' | 'attempt_count'>;
  choice: Pick<Work['choice'], 'site_id'>;
}

/**
 * Takes a delivery that needs nothing more, or not now, off the queue, unless another worker has recorded an attempt
 * meanwhile.
 */
export async function settle(
  services: Services,
  { delivery, choice: { site_id: siteId } }: Round,
  changes: DeliveryChanges,
): Promise<void> {
  await services.database.inSite(siteId, (site) =>
    site.commitWith([
      updateDeliveryInRound(site, delivery.id, delivery.attempt_count, { ...changes, next_attempt_at: null }),
    ]),
  );
}

/** Schedules a delivery again without using a try. */
export async function reschedule(
  services: Services,
  { delivery, choice: { site_id: siteId } }: Round,
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
