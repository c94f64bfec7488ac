import type { Confirmation } from './attempt-result.ts';

/**
 * Delays after the attempt and between confirmation reads. Afterwards the delivery stays unconfirmed until a
 * reconciliation.
 */
const CONFIRM_AFTER_SECONDS = [60, 600, 3600, 6 * 3600];

/** @returns seconds until the next confirmation read; null: no more */
export function nextConfirmationSeconds(confirmation: Confirmation, looks: number): number | null {
  if (confirmation === 'there' || confirmation === 'absent' || confirmation === 'unsaid') return null;
  return CONFIRM_AFTER_SECONDS[looks] ?? null;
}
