import { describe, expect, it } from 'vitest';
import * as contract from '#contract/sites.ts';
import { DELIVERY_CONTENT_DAYS, LINK_LIFETIME_DAYS, toDays } from './days.logic.ts';

const lifetime = (typed: string) => toDays(typed, LINK_LIFETIME_DAYS);
const content = (typed: string) => toDays(typed, DELIVERY_CONTENT_DAYS);

describe('a number of days', () => {
  it('has the limits of the API', () => {
    expect(LINK_LIFETIME_DAYS).toEqual(contract.LINK_LIFETIME_DAYS);
    expect(DELIVERY_CONTENT_DAYS).toEqual(contract.DELIVERY_CONTENT_DAYS);
  });

  it('is a whole number within them', () => {
    expect(['30', ' 180 ', '730'].map(lifetime)).toEqual([30, 180, 730]);
    expect(['', '29', '731', '-40', '30.5', 'ninety', '1e2'].map(lifetime)).toEqual(Array(7).fill(null));
    expect(['1', ' 30 ', '365'].map(content)).toEqual([1, 30, 365]);
    expect(['', '0', '366', '-1', '1.5', '1e2'].map(content)).toEqual(Array(6).fill(null));
  });
});
