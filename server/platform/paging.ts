import { isId } from './ids.ts';
import { type AppError, invalidField } from './errors.ts';

export function wrongCursor(): AppError {
  return invalidField('cursor', 'cursor: use `next` from the previous page.');
}

/** Newest first by id: the cursor is the last id of the page before. */
export function cursorOf(cursor: string | undefined): string | null {
  if (cursor === undefined || cursor === '') return null;
  if (!isId(cursor)) throw wrongCursor();
  return cursor;
}

/** @param rows one more than `limit` if there is a next page */
export function pageOf<T extends { id: string }, R>(
  rows: readonly T[],
  limit: number,
  present: (row: T) => R,
): { results: R[]; next: string | null } {
  const shown = rows.slice(0, limit);
  return { results: shown.map(present), next: rows.length > limit ? (shown.at(-1)?.id ?? null) : null };
}
