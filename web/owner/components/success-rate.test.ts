import { expect, it } from 'vitest';
import { percentText, successRate } from './success-rate.ts';

it('deliveries that were not tried yet count neither as success nor as failure', () => {
  expect(successRate({ arrived: 0, failed: 0, retrying: 0 })).toBeNull();
  expect(successRate({ arrived: 3, failed: 1, retrying: 0 })).toBe(0.75);
});

it('failed deliveries that are retried do not count as delivered', () => {
  expect(successRate({ arrived: 1, failed: 0, retrying: 3 })).toBe(0.25);
  expect(successRate({ arrived: 0, failed: 0, retrying: 2 })).toBe(0);
});

it('a rate is 100% only when nothing failed', () => {
  expect(percentText(1, 'en')).toBe('100%');
  expect(percentText(0.99999, 'en')).toBe('99.9%');
  expect(percentText(0.75, 'en')).toBe('75%');
});
