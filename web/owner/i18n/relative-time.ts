import { relativeTimeFormat } from './formats.ts';

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];

/** `5 minutes ago`, of what has happened: never in the future, where `now` or this device's clock is behind. */
export function timeSince(iso: string, now: number, locale: string): string {
  return relativeTime(iso, Math.max(now, Date.parse(iso)), locale);
}

/** `in 2 hours`, of what is yet to come: `now` from the moment on, never in the past. */
export function timeUntil(iso: string, now: number, locale: string): string {
  return relativeTime(iso, Math.min(now, Date.parse(iso)), locale);
}

/** `5 minutes ago`, `in 2 hours`. */
export function relativeTime(iso: string, now: number, locale: string): string {
  const distance = Date.parse(iso) - now;
  const [unit, ms] = STEPS.find(([, size]) => Math.abs(distance) >= size) ?? ['second', 1000];
  return relativeTimeFormat(locale).format(Math.round(distance / ms), unit);
}
