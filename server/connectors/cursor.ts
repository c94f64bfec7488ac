import type { z } from 'zod';

/** A place to read on from, as text that any process can read, also days later. */
export function writeCursor(place: object): string {
  return JSON.stringify(place);
}

/** @returns null for none and for a broken one: reading starts anew */
export function readCursor<T>(schema: z.ZodType<T>, cursor: string | null): T | null {
  try {
    return schema.safeParse(JSON.parse(cursor ?? '')).data ?? null;
  } catch {
    return null;
  }
}

/** @returns null for a time that names no zone, since it could be any of many */
export function momentOf(text: string | null | undefined): Date | null {
  if (!/[T ]\d{2}:\d{2}.*(?:Z|[+-]\d{2}:?\d{2})$/.test(text ?? '')) return null;
  const moment = new Date(text ?? '');
  return Number.isNaN(moment.getTime()) ? null : moment;
}
