import { PAUSE_UNTIL, type PauseLength } from '#contract/public-preferences.ts';
import { invalidField } from '#server/platform/errors.ts';

const DAY_MS = 86_400_000;

/** At noon UTC, the day has begun in every time zone but the last one west. */
const BEGUN_EVERYWHERE_MS = DAY_MS / 2;

/**
 * When a pause that begins now ends. A day that the customer named has then begun wherever they are.
 * @param field where the day stands in the body
 * @throws AppError `invalid_field` for a day that is too near, too far, or none
 */
export function pauseEnd(length: PauseLength, now: Date, field = 'pause_until'): Date {
  if ('pause_days' in length) return new Date(now.getTime() + length.pause_days * DAY_MS);
  const { pause_until: day } = length;
  const startMs = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : NaN;
  const days = startMs / DAY_MS - Math.floor(now.getTime() / DAY_MS);
  const { minDays, maxDays } = PAUSE_UNTIL;
  if (days >= minDays && days <= maxDays) return new Date(startMs + BEGUN_EVERYWHERE_MS);
  throw invalidField(
    field,
    `${field}: must be a date between ${minDays} and ${maxDays} days from today. Send it as YYYY-MM-DD.`,
  );
}
