import { sha256 } from '#server/platform/secrets.ts';

const FIRST_HOUR = 1;
const WINDOW_MS = 4 * 3_600_000;
const DAY_MS = 86_400_000;

/** From one nightly run to the next. */
export const LONGEST_NIGHT_MS = DAY_MS;

/** The tool's time of the night, from 01:00 to 05:00 UTC: not all tools of all sites at once. */
function timeOf(integrationId: string, day: Date): Date {
  const offset = sha256(integrationId).readUInt32BE(0) % WINDOW_MS;
  return new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate(), FIRST_HOUR) + offset);
}

/** When the tool's next nightly comparison is. */
export function nextNightlyRun(integrationId: string, now: Date): Date {
  const today = timeOf(integrationId, now);
  return today > now ? today : timeOf(integrationId, new Date(now.getTime() + DAY_MS));
}

/** When the last one should have been. */
export function lastNightlyRun(integrationId: string, now: Date): Date {
  const today = timeOf(integrationId, now);
  return today <= now ? today : timeOf(integrationId, new Date(now.getTime() - DAY_MS));
}
