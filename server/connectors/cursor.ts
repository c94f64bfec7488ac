import type { z } from 'zod';

/**
 * Where a page of people begins, as it was written with JSON for the page before.
 * @returns null for none, and for one that is broken: reading starts over
 */
export function readCursor<T>(schema: z.ZodType<T>, cursor: string | null): T | null {
  if (cursor === null) return null;
  try {
    return schema.safeParse(JSON.parse(cursor)).data ?? null;
  } catch {
    return null;
  }
}
