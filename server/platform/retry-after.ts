/** Nobody is waited for longer, whatever they say: a mistaken header must not stop everything for a year. */
export const MAX_RETRY_AFTER_SECONDS = 24 * 3600;

/**
 * Seconds of a Retry-After header: a number, or an HTTP date; at most a day.
 * @returns null when there is none, or it is neither
 */
export function retryAfterSeconds(header: string | undefined, now: Date): number | null {
  if (header === undefined || header.trim() === '') return null;
  const seconds = secondsOf(header.trim(), now);
  return seconds === null ? null : Math.min(Math.max(0, seconds), MAX_RETRY_AFTER_SECONDS);
}

function secondsOf(header: string, now: Date): number | null {
  if (/^\d+$/.test(header)) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.ceil((date - now.getTime()) / 1000);
}
