import { randomBytes, randomFillSync } from 'node:crypto';

const POOL_BYTES = 16_384;

const pool = Buffer.allocUnsafeSlow(POOL_BYTES);
let used = POOL_BYTES;

/**
 * Random bytes of the system, fetched for many at a time: fetching a few takes as long as fetching thousands. What is
 * given is a copy, and no byte of the pool is given twice.
 */
export function pooledRandom(count: number): Buffer {
  if (count > POOL_BYTES) return randomBytes(count);
  if (used + count > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = Buffer.from(pool.subarray(used, used + count));
  used += count;
  return bytes;
}
