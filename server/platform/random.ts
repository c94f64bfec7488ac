import { randomBytes, randomFillSync } from 'node:crypto';

const POOL_BYTES = 16_384;

const pool = Buffer.allocUnsafeSlow(POOL_BYTES);
let used = POOL_BYTES;

/**
 * Random bytes of the system, fetched in bulk, because a few take as long as thousands. Returns a copy, and uses no
 * byte of the pool twice.
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
