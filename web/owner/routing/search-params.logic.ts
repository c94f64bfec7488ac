import { stringifySearchWith } from '@tanstack/react-router';

/** The longest email address. */
const MAX_LENGTH = 254;

/** Search parameters that are text, by name; those that are missing, too long or something else are left out. */
export function textParams<N extends string>(
  search: Record<string, unknown>,
  names: readonly N[],
): { [Name in N]?: string } {
  const given = names.flatMap((name) => {
    const value = search[name];
    return typeof value === 'string' && value.length <= MAX_LENGTH ? [[name, value] as const] : [];
  });
  return Object.fromEntries(given) as { [Name in N]?: string };
}

type Search = Record<string, unknown>;

/** Only what `validate` returns. Without this the router keeps whatever else was given, and even what was refused. */
export function onlyValidated<Read extends object>(
  validate: (given: Search) => Read,
): (given: Search) => Read {
  return (given) => ({
    ...Object.fromEntries(Object.keys(given).map((name) => [name, undefined])),
    ...validate(given),
  });
}

/** The token of a mailed link. */
export function tokenParam(search: Record<string, unknown>): { token?: string } {
  return typeof search['token'] === 'string' ? { token: search['token'] } : {};
}

/** The value if it is one of the known ones. */
export function oneOf<T>(value: unknown, known: readonly T[]): T | undefined {
  return known.find((one) => one === value);
}

/** A timestamp as the API takes it (RFC 3339, in UTC); undefined for anything else. */
export function parseTimestamp(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/.test(value))
    return undefined;
  return Number.isNaN(Date.parse(value)) ? undefined : value;
}

const MAYBE_JSON = /^\s*(?:["[{]|(?:-?\d[\d.eE+-]*|false|null|true)\s*$)/;
const NOT_JSON = new Error('not JSON');

/**
 * As the router does it, only sooner: text that would be read back as something else is quoted (`123` becomes `"123"`).
 * To find out, the router parses each value that starts like JSON, as half of all ids do, and an error that is made for
 * each link of a list takes longer than the link.
 */
export const stringifySearch = stringifySearchWith(JSON.stringify, (text) => {
  if (!MAYBE_JSON.test(text)) throw NOT_JSON;
  return JSON.parse(text) as unknown;
});
