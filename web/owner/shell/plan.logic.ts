/** Spec section 4, plan badge. */
const PLANS: Record<string, string> = {
  appsumo_tier1: 'Hatchling (Tier 1)',
  appsumo_tier2: 'Kaiju (Tier 2)',
  appsumo_tier3: 'Titan (Tier 3)',
  appsumo_tier4: 'Titan (Tier 4)',
  appsumo_tier5: 'Omega Prime (Tier 5)',
};

/** The badge's text by the account's first group, or null for no badge. */
export function planBadge(groups: readonly string[]): string | null {
  const first = groups[0];
  return (first !== undefined && Object.hasOwn(PLANS, first) && PLANS[first]) || null;
}
