/* How many deliveries a tool takes in one batch, as this process has learnt from its connectors. */

/** A batch shares one fate, and one worker's memory. */
const MOST_TOGETHER = 100;
/** What was learnt may be forgotten. */
const MOST_KEPT = 10_000;

const sizes = new Map<string, number>();

/** @param size the most people that one batch of this tool was said to carry */
export function noteBatchSize(receiver: string, size: number): void {
  const before = batchSizeOf(receiver);
  sizes.delete(receiver);
  sizes.set(receiver, Math.min(MOST_TOGETHER, Math.max(before, size)));
  const [oldest] = sizes.keys();
  if (sizes.size > MOST_KEPT && oldest !== undefined) sizes.delete(oldest);
}

/** 1: each alone. */
export function batchSizeOf(receiver: string): number {
  return sizes.get(receiver) ?? 1;
}
