import type { Seen } from './carried.ts';

/** After the attempt, and between looks. Then it stays unconfirmed, and a comparison will tell. */
const LOOKS_AFTER_SECONDS = [60, 600, 3600, 6 * 3600];

/** @returns when to look, in seconds from now; null: no more */
export function nextLookSeconds(seen: Seen, looks: number): number | null {
  if (seen === 'there' || seen === 'absent' || seen === 'unsaid') return null;
  return LOOKS_AFTER_SECONDS[looks] ?? null;
}
