import { expect, it } from 'vitest';
import { planBadge } from './plan.logic.ts';

it.each([
  ['appsumo_tier1', 'Hatchling (Tier 1)'],
  ['appsumo_tier2', 'Kaiju (Tier 2)'],
  ['appsumo_tier3', 'Titan (Tier 3)'],
  ['appsumo_tier4', 'Titan (Tier 4)'],
  ['appsumo_tier5', 'Omega Prime (Tier 5)'],
])('%s is %s', (group, badge) => {
  expect(planBadge([group])).toBe(badge);
});

it('only the first group counts, and unknown ones have no badge (spec 79, 99)', () => {
  expect(planBadge(['staff', 'appsumo_tier1'])).toBeNull();
  expect(planBadge(['constructor'])).toBeNull();
  expect(planBadge([])).toBeNull();
});
