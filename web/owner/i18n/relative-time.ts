import { relativeTimeFormat } from './formats.ts';

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
  return relativeTimeFormat(locale).format(Math.round(distance / ms), unit);
}
