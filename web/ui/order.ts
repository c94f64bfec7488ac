/** Moves what is at `from` so that it ends at `to`; positions outside the array change nothing. */
export function moveTo<T>(all: readonly T[], from: number, to: number): T[] {
  const moved = all[from];
  if (moved === undefined || to < 0 || to >= all.length) return [...all];
  return all.toSpliced(from, 1).toSpliced(to, 0, moved);
}

/** Puts the moved keys, in their present order, before or after the target. */
export function dropAt(
  keys: readonly string[],
  moved: ReadonlySet<string>,
  target: string,
  position: 'before' | 'after',
): string[] {
  if (moved.has(target)) return [...keys];
  const rest = keys.filter((key) => !moved.has(key));
  const at = rest.indexOf(target) + (position === 'after' ? 1 : 0);
  return rest.toSpliced(at, 0, ...keys.filter((key) => moved.has(key)));
}

/** All keys, with some of them, the only ones shown, in a new order: these take each other's places. */
export function orderWithin(all: readonly string[], ordered: readonly string[]): string[] {
  const moved = new Set(ordered);
  const next = ordered.values();
  return all.map((key) => (moved.has(key) ? (next.next().value ?? key) : key));
}
