/**
 * Seconds of a Retry-After header: a number, or an HTTP date.
 * @returns null when there is none, or it is neither
 */
export function retryAfterSeconds(header: string | undefined, now: Date): number | null {
  if (header === undefined || header.trim() === '') return null;
  if (/^\d+$/.test(header.trim())) return Number(header.trim());
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now.getTime()) / 1000));
}
