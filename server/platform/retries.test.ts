import { describe, expect, it } from 'vitest';
import { retryAfterSeconds } from './retry-after.ts';
import { retryDelaySeconds } from './retries.ts';

const MIDDLE = 0.5;
const NOW = new Date('2026-11-21T12:00:00Z');

describe('the schedule', () => {
  it('is that of the design: ten attempts in all', () => {
    const minutes = [5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440];
    const delays = minutes.map((_, tries) => retryDelaySeconds(tries + 1, null, MIDDLE));
    expect(delays).toEqual(minutes.map((one) => one * 60));
    expect(retryDelaySeconds(10, null, MIDDLE)).toBeNull();
    expect(retryDelaySeconds(11, 60, MIDDLE)).toBeNull();
  });

  it('is spread by a tenth in both directions', () => {
    expect(retryDelaySeconds(2, null, 0)).toBeCloseTo(270);
    expect(retryDelaySeconds(2, null, 1)).toBeCloseTo(330);
  });

  it('follows Retry-After when it asks for more, up to a day', () => {
    expect(retryDelaySeconds(1, 120, MIDDLE)).toBe(120);
    expect(retryDelaySeconds(2, 120, MIDDLE)).toBe(300);
    expect(retryDelaySeconds(1, 1e20, MIDDLE)).toBe(86_400);
    expect(retryDelaySeconds(1, Infinity, MIDDLE)).toBe(86_400);
    expect(retryDelaySeconds(1, 0, MIDDLE)).toBe(5);
  });
});

describe('Retry-After', () => {
  it.each([
    [undefined, null],
    ['', null],
    [' ', null],
    ['120', 120],
    [' 120 ', 120],
    ['0', 0],
    ['31536000', 86_400],
    ['9'.repeat(400), 86_400],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 86_400],
    ['Sat, 21 Nov 2026 12:02:00 GMT', 120],
    ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
    ['soon', null],
    ['12 minutes', null],
    ['NaN', null],
  ])('of %j is %s seconds, and never more than a day', (header, seconds) => {
    expect(retryAfterSeconds(header, NOW)).toBe(seconds);
  });

  it.each(['-5', '1.5', '1e3', '0x10', '2026-11-21', '5, 10'])(
    'of %j never gives a wait that is not a number',
    (header) => {
      const seconds = retryAfterSeconds(header, NOW);
      expect(seconds === null || (Number.isFinite(seconds) && seconds >= 0)).toBe(true);
      expect(retryDelaySeconds(1, seconds, MIDDLE)).toBeLessThanOrEqual(86_400);
    },
  );
});
