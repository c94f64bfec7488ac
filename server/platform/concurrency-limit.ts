import { AppError } from './errors.ts';

interface Gate {
  running: number;
  waiting: (() => void)[];
}

const gates = new Map<string, Gate>();

/** Of work that anyone may ask for: how much of it waits, and what the others hear. */
interface Queue {
  most: number;
  full: string;
}

/**
 * Limits how much work of a key runs at the same time in this process; waiting work runs in order.
 * @param limit the same for every call of a key
 * @throws AppError `unavailable` if more than `queue.most` wait
 */
export async function withConcurrencyLimit<T>(
  limit: number,
  key: string,
  work: () => Promise<T>,
  queue?: Queue,
): Promise<T> {
  const gate = gates.get(key) ?? { running: 0, waiting: [] };
  gates.set(key, gate);
  if (queue !== undefined && gate.running >= limit && gate.waiting.length >= queue.most) {
    throw new AppError('unavailable', `${queue.full} Try again in a few seconds.`, { retryAfterSeconds: 5 });
  }
  if (gate.running >= limit) await new Promise<void>((go) => gate.waiting.push(go));
  else gate.running += 1;
  try {
    return await work();
  } finally {
    const next = gate.waiting.shift();
    // Hand the slot directly to the next one.
    if (next !== undefined) next();
    else gate.running -= 1;
    if (gate.running === 0) gates.delete(key);
  }
}
