import type { Delivery, DeliveryStatus } from '#contract/deliveries.ts';

/** The summary counts the newest hundred: one page of the log, so it is never an estimate. */
export const DELIVERIES_SHOWN = 100;

const SHOWN_ORDER: readonly DeliveryStatus[] = ['arrived', 'waiting', 'failed'];

export function countByStatus(
  deliveries: readonly Pick<Delivery, 'status'>[],
): { status: DeliveryStatus; count: number }[] {
  return SHOWN_ORDER.map((status) => ({
    status,
    count: deliveries.filter((delivery) => delivery.status === status).length,
  }));
}
