import { z } from 'zod';
import { DELIVERY_STATUSES, type Attempt, type Delivery, type DeliveryStatus } from '#contract/deliveries.ts';
import { id } from '#contract/fields.ts';

/** The screen's search parameters; what is not valid is left out rather than shown as an error. */
export const deliverySearch = z.object({
  status: z.enum(DELIVERY_STATUSES).optional().catch(undefined),
  action: id.optional().catch(undefined),
  id: id.optional().catch(undefined),
});

export type DeliverySearch = z.infer<typeof deliverySearch>;

export const REFRESH_MS = 4000;

/** Looks again every few seconds while something is under way, and rests otherwise. */
export function refreshMs(deliveries: readonly Pick<Delivery, 'status'>[]): number | false {
  return deliveries.some((one) => one.status === 'waiting') ? REFRESH_MS : false;
}

export function statusTone(status: DeliveryStatus): 'success' | 'warning' | 'danger' {
  return ({ arrived: 'success', waiting: 'warning', failed: 'danger' } as const)[status];
}

export function isSuccess(attempt: Pick<Attempt, 'outcome'>): boolean {
  return attempt.outcome === 'arrived';
}

/** JSON indented for reading; anything else as it came. */
export function prettyBody(body: string): string {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : body;
  } catch {
    return body;
  }
}

/** `850 ms`, `2.4 s`: the unit in which people think of it. */
export function durationText(ms: number, locale: string): string {
  const [value, unit, digits] = ms < 1000 ? [ms, 'millisecond', 0] : [ms / 1000, 'second', 1];
  return new Intl.NumberFormat(locale, { style: 'unit', unit: String(unit), maximumFractionDigits: Number(digits) }).format(
    Number(value),
  );
}

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];

/** `5 minutes ago`, `in 2 hours`. */
export function relativeTime(iso: string, now: number, locale: string): string {
  const distance = Date.parse(iso) - now;
  const [unit, ms] = STEPS.find(([, size]) => Math.abs(distance) >= size) ?? ['second', 1000];
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(Math.round(distance / ms), unit);
}
