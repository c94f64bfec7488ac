import { isPlanGroup, PLANS } from '#contract/plans.ts';

/** The badge's text by the account's first group, or null for no badge. */
export function planBadge(groups: readonly string[]): string | null {
  const [first] = groups;
  return first !== undefined && isPlanGroup(first) ? PLANS[first] : null;
}
