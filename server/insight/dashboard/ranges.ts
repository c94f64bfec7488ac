import type { DashboardRange } from '#contract/dashboard.ts';

const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;

/** The number of periods in each range, including the current one. */
const PERIODS: Record<DashboardRange, { count: number; step: 'day' | 'week' }> = {
  '7d': { count: 7, step: 'day' },
  '30d': { count: 30, step: 'day' },
  '90d': { count: 90, step: 'day' },
  '12m': { count: 52, step: 'week' },
};

export interface Time {
  from: Date;
  until: Date;
}

export interface Span {
  range: DashboardRange;
  step: 'day' | 'week';
  /** Start of each period, oldest first. */
  periods: Date[];
  from: Date;
  until: Date;
  /** The range of the same length right before; its last day ends at the same time of day as today's. */
  before: Time;
}

/** Cuts a range into UTC days, or into weeks that begin on Monday. */
export function spanOf(range: DashboardRange, now: Date): Span {
  const { count, step } = PERIODS[range];
  const stepMs = step === 'week' ? WEEK_DAYS * DAY_MS : DAY_MS;
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  const sinceMonday = (now.getUTCDay() + WEEK_DAYS - 1) % WEEK_DAYS;
  const lastMs = step === 'week' ? today - sinceMonday * DAY_MS : today;
  const periods = Array.from(
    { length: count },
    (_, index) => new Date(lastMs - (count - 1 - index) * stepMs),
  );
  const fromMs = lastMs - (count - 1) * stepMs;
  const lengthMs = count * stepMs;
  return {
    range,
    step,
    periods,
    from: new Date(fromMs),
    until: now,
    before: { from: new Date(fromMs - lengthMs), until: new Date(now.getTime() - lengthMs) },
  };
}

/** The last days, up to this moment. */
export function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * DAY_MS);
}
