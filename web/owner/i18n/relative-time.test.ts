import { expect, test } from 'vitest';
import { relativeTime, timeSince, timeUntil } from './relative-time.ts';

const now = Date.parse('2026-11-20T12:00:00Z');

test.each([
  ['2026-11-20T11:59:48Z', '12 seconds ago'],
  ['2026-11-20T12:05:00Z', 'in 5 minutes'],
  ['2026-11-20T09:00:00Z', '3 hours ago'],
  ['2026-11-19T12:00:00Z', 'yesterday'],
  ['2026-11-20T12:00:00Z', 'now'],
])('%s is %s', (iso, text) => {
  expect(relativeTime(iso, now, 'en')).toBe(text);
});

test('past times are never said to be in the future', () => {
  const since = (iso: string) => timeSince(iso, now, 'en');
  expect([since('2026-11-20T12:00:05Z'), since('2026-11-20T11:59:00Z')]).toEqual(['now', '1 minute ago']);
});

test('future times are never said to be in the past', () => {
  const until = (iso: string) => timeUntil(iso, now, 'en');
  expect([until('2026-11-20T11:59:58Z'), until('2026-11-20T12:05:00Z')]).toEqual(['now', 'in 5 minutes']);
});
