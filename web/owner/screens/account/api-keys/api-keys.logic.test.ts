import { expect, it } from 'vitest';
import { endOf } from './api-keys.logic.ts';

const NOW = Date.parse('2026-01-31T12:00:00.000Z');

it.each([
  ['never', null],
  ['month', '2026-03-02T12:00:00.000Z'],
  ['quarter', '2026-05-01T12:00:00.000Z'],
  ['year', '2027-01-31T12:00:00.000Z'],
] as const)('a key for %s ends at %s', (lifetime, end) => {
  expect(endOf(lifetime, NOW)).toBe(end);
});
