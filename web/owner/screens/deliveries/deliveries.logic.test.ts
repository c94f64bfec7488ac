import { describe, expect, test } from 'vitest';
import { deliverySearch, durationText, prettyBody, refreshMs, relativeTime } from './deliveries.logic.ts';

test('the log looks again only while something is waiting', () => {
  expect(refreshMs([{ status: 'arrived' }, { status: 'waiting' }])).toBeGreaterThan(0);
  expect(refreshMs([{ status: 'arrived' }, { status: 'failed' }])).toBe(false);
  expect(refreshMs([])).toBe(false);
});

test('a filter in the URL that means nothing is left out', () => {
  expect(deliverySearch.parse({ status: 'lost', action: 'x', id: 3, other: 1 })).toEqual({});
  expect(deliverySearch.parse({ status: 'failed' })).toEqual({ status: 'failed' });
});

describe('a body', () => {
  test('of JSON is indented', () => {
    expect(prettyBody('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
  });

  test('of anything else stays as it came', () => {
    expect(prettyBody('<h1>502</h1>')).toBe('<h1>502</h1>');
    expect(prettyBody('12345678901234567890')).toBe('12345678901234567890');
    expect(prettyBody('')).toBe('');
  });
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
