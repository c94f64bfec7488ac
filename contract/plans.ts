/** The plans by their group, with the text of the badge (spec section 4). */
export const PLANS = {
  appsumo_tier1: 'Hatchling (Tier 1)',
  appsumo_tier2: 'Kaiju (Tier 2)',
  appsumo_tier3: 'Titan (Tier 3)',
  appsumo_tier4: 'Titan (Tier 4)',
  appsumo_tier5: 'Omega Prime (Tier 5)',
} as const;

export type PlanGroup = keyof typeof PLANS;

export function isPlanGroup(group: string): group is PlanGroup {
  return Object.hasOwn(PLANS, group);
}
