/* How many deliveries each tool accepts in one batch, as reported by its connector. Per process. */

/** A batch succeeds or fails as a whole and is held in memory by one worker. */
const MAX_BATCH = 100;
/** Evicting an entry is safe; it is learned again. */
const MAX_ENTRIES = 10_000;

const sizes = new Map<string, number>();

/** @param size the largest batch that the connector accepts for this tool */
export function recordBatchSize(receiver: string, size: number): void {
  const before = batchSizeOf(receiver);
  sizes.delete(receiver);
  sizes.set(receiver, Math.min(MAX_BATCH, Math.max(before, size)));
  const [oldest] = sizes.keys();
  if (sizes.size > MAX_ENTRIES && oldest !== undefined) sizes.delete(oldest);
}

/** 1 means no batching. */
export function batchSizeOf(receiver: string): number {
  return sizes.get(receiver) ?? 1;
}
