import { expect, test } from 'vitest';
import { durationText, refreshMs } from './deliveries.logic.ts';

test('the log looks again only while something is waiting', () => {
  expect(refreshMs([{ status: 'arrived' }, { status: 'waiting' }])).toBeGreaterThan(0);
  expect(refreshMs([{ status: 'arrived' }, { status: 'failed' }])).toBe(false);
  expect(refreshMs([])).toBe(false);
});

test('durations are said in the unit in which people think of them', () => {
  expect(durationText(850, 'en')).toBe('850 ms');
  expect(durationText(2430, 'de')).toBe('2,4 Sek.');
});
