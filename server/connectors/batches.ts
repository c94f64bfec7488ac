import { ConnectorError } from './connector.ts';

/* What connectors share that bring many people to the same place at once. */

/** What a person's change came to; null where the tool took it. */
export type Outcome = ConnectorError | null;

/** Tools tell addresses back in lower case, or as they were given. */
export const keyOf = (email: string) => email.trim().toLowerCase();

export function inParts<T>(all: readonly T[], size: number): T[][] {
  const count = Math.ceil(all.length / size);
  return Array.from({ length: count }, (_, at) => all.slice(at * size, (at + 1) * size));
}

/**
 * Brings many people to where they are to be with one call, and those one by one whom it does not confirm: their own
 * call tells what is wrong with them, if anything. A call that is refused may be so for one person: it is tried again
 * with each half of the people.
 * @param together returns the addresses that are where they are to be now
 * @throws ConnectorError of the first call, where that failed for all
 */
export async function takeMany(
  emails: readonly string[],
  together: (emails: readonly string[]) => Promise<Iterable<string>>,
  alone: (email: string) => Promise<void>,
): Promise<Outcome[]> {
  if (emails.length <= 1) return oneByOne(emails, alone);
  let taken: Set<string>;
  try {
    taken = new Set([...(await together(emails))].map(keyOf));
  } catch (error) {
    if (!(error instanceof ConnectorError) || error.kind !== 'refused') throw error;
    return takeHalves(emails, together, alone);
  }
  const others = emails.filter((email) => !taken.has(keyOf(email)));
  const outcomes = (await oneByOne(others, alone)).values();
  return emails.map((email) => (taken.has(keyOf(email)) ? null : (outcomes.next().value ?? null)));
}

async function takeHalves(
  emails: readonly string[],
  ...how: [Parameters<typeof takeMany>[1], Parameters<typeof takeMany>[2]]
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const half of inParts(emails, Math.ceil(emails.length / 2))) {
    // The other half may have been taken, so that nothing failed for all any more.
    outcomes.push(
      ...(await takeMany(half, ...how).catch((error: unknown) => half.map(() => asOutcome(error)))),
    );
  }
  return outcomes;
}

function asOutcome(error: unknown): ConnectorError {
  if (error instanceof ConnectorError) return error;
  throw error;
}

/** Stops where the tool has to be left alone, or is away for two people in a row: the others come to the same. */
export async function oneByOne(
  emails: readonly string[],
  work: (email: string) => Promise<void>,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const email of emails) {
    const last = outcomes.at(-1) ?? null;
    if (last !== null && isEnd(last, outcomes.at(-2) ?? null)) outcomes.push(last);
    else outcomes.push(await outcomeOf(() => work(email)));
  }
  return outcomes;
}

const isEnd = (last: ConnectorError, before: Outcome) =>
  last.kind === 'rate_limited' ||
  last.kind === 'bad_credentials' ||
  (last.kind === 'unavailable' && before?.kind === 'unavailable');

export async function outcomeOf(work: () => Promise<unknown>): Promise<Outcome> {
  try {
    await work();
    return null;
  } catch (error) {
    return asOutcome(error);
  }
}
