import { describe, expect, it } from 'vitest';
import * as contract from '#contract/sites.ts';
import { LINK_LIFETIME_DAYS, toDays } from './link-lifetime.logic.ts';

describe('the lifetime of personal links', () => {
  it('has the limits of the API', () => {
    expect(LINK_LIFETIME_DAYS).toEqual(contract.LINK_LIFETIME_DAYS);
  });

  it('is a whole number within them', () => {
    expect(['30', ' 180 ', '730'].map(toDays)).toEqual([30, 180, 730]);
    expect(['', '29', '731', '-40', '30.5', 'ninety', '1e2'].map(toDays)).toEqual(Array(7).fill(null));
  });
});
