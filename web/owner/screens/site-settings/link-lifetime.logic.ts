// The contract's own, written out: importing it from there would bring zod to the screen. A test keeps them equal.
export const LINK_LIFETIME_DAYS = { least: 30, most: 730 };

/** The days that somebody typed; null for what is no lifetime. */
export function toDays(typed: string): number | null {
  const text = typed.trim();
  if (!/^\d{1,3}$/.test(text)) return null;
  const days = Number(text);
  return days >= LINK_LIFETIME_DAYS.least && days <= LINK_LIFETIME_DAYS.most ? days : null;
}
