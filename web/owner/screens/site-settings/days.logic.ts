// The contract's own, written out: importing them from there would bring zod to the screen. A test keeps them equal.
export const LINK_LIFETIME_DAYS = { least: 30, most: 730 };
export const DELIVERY_CONTENT_DAYS = { least: 1, most: 365 };

/** The typed number of days; null if it is not a number within the limits. */
export function toDays(typed: string, { least, most }: { least: number; most: number }): number | null {
  const text = typed.trim();
  if (!/^\d{1,3}$/.test(text)) return null;
  const days = Number(text);
  return days >= least && days <= most ? days : null;
}
