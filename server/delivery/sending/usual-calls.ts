/* How many calls a delivery to a tool usually makes, so that those who wait for its limit come as far apart. */

/** How much a single delivery says about the next ones. */
const WEIGHT = 0.1;
const AT_FIRST = 2;
/** An estimate may be forgotten. */
const MOST_KEPT = 10_000;

const averages = new Map<string, number>();

export function noteCalls(receiver: string, calls: number): void {
  const before = usualCalls(receiver);
  averages.delete(receiver);
  averages.set(receiver, before + (calls - before) * WEIGHT);
  const [oldest] = averages.keys();
  if (averages.size > MOST_KEPT && oldest !== undefined) averages.delete(oldest);
}

export function usualCalls(receiver: string): number {
  return averages.get(receiver) ?? AT_FIRST;
}
