import { expect } from 'vitest';

/** Goes through a whole set within one test, which then names every member that failed. */
export async function eachOf<T>(
  set: Iterable<T>,
  work: (one: T) => unknown,
  nameOf: (one: T) => string = String,
): Promise<void> {
  for (const one of set) {
    try {
      await work(one);
    } catch (error) {
      const { message, actual } = error as Error & { actual?: unknown };
      expect.soft({ of: nameOf(one), message, actual }).toEqual({ of: nameOf(one) });
    }
  }
}
