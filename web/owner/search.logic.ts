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

/** A moment as the API takes it (RFC 3339, in UTC); whatever else it is, it is left out. */
export function momentOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/.test(value))
    return undefined;
  return Number.isNaN(Date.parse(value)) ? undefined : value;
}
