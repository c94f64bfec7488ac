import { MAX_RETRY_AFTER_SECONDS } from './retry-after.ts';

/**
 * Delays before each attempt, in seconds (design section 6; the example schedule of the Standard Webhooks
 * specification).
 */
const SCHEDULE_SECONDS = [
  0,
  5,
  5 * 60,
  30 * 60,
  2 * 3600,
  5 * 3600,
  10 * 3600,
  14 * 3600,
  20 * 3600,
  24 * 3600,
];

const JITTER = 0.1;

/** A receiver is disabled after this long without a success. */
export const GIVE_UP_AFTER_DAYS = 5;

export function hasFailedForLong(since: Date, now: Date): boolean {
  return now.getTime() - since.getTime() >= GIVE_UP_AFTER_DAYS * 86_400_000;
}

/**
 * When to retry.
 * @param triesMade failed attempts of this run, from 1
 * @param retryAfterSeconds the receiver's Retry-After; honoured if it exceeds the schedule's delay
 * @param random from 0 to 1
 * @returns seconds from now, or null if all attempts are used up
 */
export function retryDelaySeconds(
  triesMade: number,
  retryAfterSeconds: number | null,
  random: number,
): number | null {
  const scheduled = SCHEDULE_SECONDS[triesMade];
  if (scheduled === undefined) return null;
  const jittered = scheduled * (1 + (random * 2 - 1) * JITTER);
  return Math.max(jittered, Math.min(retryAfterSeconds ?? 0, MAX_RETRY_AFTER_SECONDS));
}

const BUSY_STEP_SECONDS = 5;
const LONGEST_BUSY_SECONDS = 300;

/**
 * When to retry after a rate-limit response, which does not use up the message's attempts.
 * @param attemptsMade from 1; the delay grows with it
 * @returns seconds from now
 */
export function busyDelaySeconds(attemptsMade: number, retryAfterSeconds: number | null): number {
  const step = Math.min(LONGEST_BUSY_SECONDS, BUSY_STEP_SECONDS * attemptsMade);
  return Math.max(step, Math.min(retryAfterSeconds ?? 0, MAX_RETRY_AFTER_SECONDS));
}
