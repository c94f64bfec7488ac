import { describe, expect, test } from 'vitest';
import { durationText, refreshMs, relativeTime } from './deliveries.logic.ts';

test('the log looks again only while something is waiting', () => {
  expect(refreshMs([{ status: 'arrived' }, { status: 'waiting' }])).toBeGreaterThan(0);
  expect(refreshMs([{ status: 'arrived' }, { status: 'failed' }])).toBe(false);
  expect(refreshMs([])).toBe(false);
});

describe('times', () => {
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

  test('durations', () => {
    expect(durationText(850, 'en')).toBe('850 ms');
    expect(durationText(2430, 'de')).toBe('2,4 Sek.');
  });
});
