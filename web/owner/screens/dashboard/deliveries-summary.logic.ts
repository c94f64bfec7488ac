import { type Delivery, DELIVERY_STATUSES, type DeliveryStatus } from '#contract/deliveries.ts';

/** The summary counts the newest hundred: one page of the log, so it is never an estimate. */
export const DELIVERIES_SHOWN = 100;

export function countByStatus(
  deliveries: readonly Pick<Delivery, 'status'>[],
): { status: DeliveryStatus; count: number }[] {
  return DELIVERY_STATUSES.map((status) => ({
    status,
    count: deliveries.filter((delivery) => delivery.status === status).length,
  }));
}
