import { v7, validate } from 'uuid';
import { pooledRandom } from './random.ts';

/** Before and after all ids. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

const last = { msecs: 0, seq: 0 };

/** A new UUIDv7: sorts by its creation time, or by the given time. */
export function newId(at?: Date): string {
  const random = pooledRandom(16);
  if (at !== undefined) return v7({ random, msecs: at.getTime() });
  const now = Date.now();
  if (now > last.msecs) {
    last.msecs = now;
    // Start in the lower half, so that there is room to count up.
    last.seq = random.readUInt32BE(6) >>> 1;
  } else {
    // Monotonic, even within a millisecond and when the clock is set back.
    last.seq = (last.seq + 1) >>> 0;
    if (last.seq === 0) last.msecs += 1;
  }
  return v7({ random, ...last });
}

/** The smallest UUIDv7 of that millisecond, so that a time range is a range of ids; none is older than 1970. */
export function firstIdAt(at: Date): string {
  const time = Math.max(0, at.getTime()).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

/** The creation time of a UUIDv7. */
export function timeOfId(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}

export function isId(value: string): boolean {
  return validate(value);
}

export function idToBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

export function idFromBytes(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
