/** Texts of an address by their names; what is missing, too long or no text is left out. */
export function textsOf<N extends string>(
  search: Record<string, unknown>,
  names: readonly N[],
): { [Name in N]?: string } {
  const given = names.flatMap((name) => {
    const value = search[name];
    return typeof value === 'string' && value.length <= MAX ? [[name, value] as const] : [];
  });
  return Object.fromEntries(given) as { [Name in N]?: string };
}

/** The longest address of a person. */
const MAX = 254;

/** The value if it is one of those that are known. */
export function oneOf<T>(value: unknown, known: readonly T[]): T | undefined {
  return known.find((one) => one === value);
}
