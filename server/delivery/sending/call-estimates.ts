/* Average number of calls per delivery, used to space the retries of deliveries that wait for a rate limit. */

/** Weight of one delivery in the moving average. */
const WEIGHT = 0.1;
const INITIAL_ESTIMATE = 2;
/** Evicting an estimate is safe. */
const MAX_ENTRIES = 10_000;

const averages = new Map<string, number>();

export function recordCalls(receiver: string, calls: number): void {
  const before = estimatedCalls(receiver);
  averages.delete(receiver);
  averages.set(receiver, before + (calls - before) * WEIGHT);
  const [oldest] = averages.keys();
  if (averages.size > MAX_ENTRIES && oldest !== undefined) averages.delete(oldest);
}

export function estimatedCalls(receiver: string): number {
  return averages.get(receiver) ?? INITIAL_ESTIMATE;
}
