import { type BulkChange, type BulkUndo, UNDO_VERDICTS, type UndoVerdict } from '#contract/bulk-changes.ts';
import type { BadgeTone } from '#web/ui/Badge.tsx';

/** A preview or an undo is under way. */
export function isWorking({ undo }: Pick<BulkChange, 'undo'>): boolean {
  return undo !== null && undo.status !== 'checked' && undo.status !== 'finished';
}

type State = 'running' | 'open' | BulkUndo['status'];

/** Where a bulk change stands. */
export function stateOf({ is_running, undo }: Pick<BulkChange, 'is_running' | 'undo'>): State {
  return undo?.status ?? (is_running ? 'running' : 'open');
}

export function toneOf(state: Exclude<State, 'open'>): BadgeTone {
  if (state === 'finished') return 'success';
  return state === 'checked' ? 'neutral' : 'warning';
}

/** The first verdict that customers have. */
export function firstVerdict(counts: BulkUndo['counts']): UndoVerdict {
  return UNDO_VERDICTS.find((one) => counts[one] > 0) ?? 'restored';
}

/** How much of the undo, or of its preview, is done: 0 to 1; null where nobody knows. */
export function shareOf({ customers, undo }: Pick<BulkChange, 'customers' | 'undo'>): number | null {
  if (undo === null) return null;
  const { status, counts } = undo;
  if (status === 'deleting') return counts.new_customers === 0 ? null : counts.deleted / counts.new_customers;
  const [done, total] =
    status === 'checking' ? [counts.customers, customers] : [counts.applied, counts.customers];
  return total === 0 ? null : Math.min(1, done / total);
}

/** Is there anything to undo? */
export function hasEffect({ restored, partly }: BulkUndo['counts']): boolean {
  return restored + partly > 0;
}
