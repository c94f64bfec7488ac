/** @returns null for a text that is no time, or names no zone, since it could be any of many */
export function parseTimestamp(text: string | null | undefined): Date | null {
  const given = text ?? '';
  if (!/[T ]\d{2}:\d{2}/.test(given) || !/(?:Z|[+-]\d{2}:?\d{2})$/.test(given)) return null;
  const moment = new Date(given);
  return Number.isNaN(moment.getTime()) ? null : moment;
}

/** @returns null for what is no time; a text without a zone is in that of this machine */
export function dateOf(time: string | number | null | undefined): Date | null {
  const date = new Date(time ?? '');
  return Number.isNaN(date.getTime()) ? null : date;
}
