import { firstIdAt } from '#server/platform/ids.ts';

/** Ids are made a moment before their records are committed, by processes whose clocks differ a little. */
export const SETTLES_AFTER_MS = 3_600_000;

/** All records with smaller ids are there by now. Ids are of the real time, whatever clock the product goes by. */
export function settledBefore(settlesAfterMs: number): string {
  return firstIdAt(new Date(Date.now() - settlesAfterMs));
}
