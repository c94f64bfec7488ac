import { expect, it } from 'vitest';
import { endOf, isRecentUse } from './api-keys.logic.ts';

const NOW = Date.parse('2026-01-31T12:00:00.000Z');

it.each([
  ['never', null],
  ['month', '2026-03-02T12:00:00.000Z'],
  ['quarter', '2026-05-01T12:00:00.000Z'],
  ['year', '2027-01-31T12:00:00.000Z'],
] as const)('a key for %s ends at %s', (lifetime, end) => {
  expect(endOf(lifetime, NOW)).toBe(end);
});

it.each([
  ['2026-01-31T12:00:05.000Z', true],
  ['2026-01-31T11:51:00.000Z', true],
  ['2026-01-31T11:00:00.001Z', true],
  ['2026-01-31T11:00:00.000Z', false],
  ['2026-01-30T11:30:00.000Z', false],
])('a use recorded at %s is within the past hour: %s', (at, isRecent) => {
  expect(isRecentUse(at, NOW)).toBe(isRecent);
});
