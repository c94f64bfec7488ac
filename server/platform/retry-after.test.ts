import { expect, it } from 'vitest';
import { retryAfterSeconds } from './retry-after.ts';

const NOW = new Date('2026-11-21T12:00:00Z');

it.each([
  [undefined, null],
  ['', null],
  ['soon', null],
  ['0', 0],
  [' 120 ', 120],
  ['Sat, 21 Nov 2026 12:01:30 GMT', 90],
  ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
  ['31536000', 86_400],
  ['9'.repeat(400), 86_400],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 86_400],
])('%s is %s seconds, and never more than a day', (header, seconds) => {
  expect(retryAfterSeconds(header, NOW)).toBe(seconds);
});
