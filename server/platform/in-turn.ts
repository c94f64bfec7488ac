const tails = new Map<string, Promise<void>>();

/**
 * Runs work of the same key one after the other within this process, in the order of the calls. For work that
 * would wait for one row's lock: whoever waits here holds no database connection meanwhile.
 */
export async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
  const result = (tails.get(key) ?? Promise.resolve()).then(work);
  const tail = result.then(
    () => {},
    () => {},
  );
  tails.set(key, tail);
  try {
    return await result;
  } finally {
    if (tails.get(key) === tail) tails.delete(key);
  }
}
