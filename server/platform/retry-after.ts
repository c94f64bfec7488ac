/** The maximum, so that a wrong header cannot stop deliveries for a year. */
export const MAX_RETRY_AFTER_SECONDS = 24 * 3600;

/**
 * Seconds of a Retry-After header: a number, or an HTTP date; at most a day.
 * @returns null if it is missing or invalid
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
