const MOST_NAMES = 3;

/** Names for a sentence: all of a few, else the first ones and how many more there are. */
export function truncatedNames(names: readonly string[]): { shown: readonly string[]; more: number } {
  if (names.length <= MOST_NAMES) return { shown: names, more: 0 };
  const shown = names.slice(0, MOST_NAMES - 1);
  return { shown, more: names.length - shown.length };
}
