/** @returns null for a text that is no time, or names no zone, since it could be any of many */
export function parseTimestamp(text: string | null | undefined): Date | null {
  if (!/[T ]\d{2}:\d{2}.*(?:Z|[+-]\d{2}:?\d{2})$/.test(text ?? '')) return null;
  const moment = new Date(text ?? '');
  return Number.isNaN(moment.getTime()) ? null : moment;
}

/** @returns null for what is no time; a text without a zone is in that of this machine */
export function dateOf(time: string | number | null | undefined): Date | null {
  const date = new Date(time ?? '');
  return Number.isNaN(date.getTime()) ? null : date;
}
