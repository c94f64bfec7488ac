import { type BulkChange, type BulkUndo, UNDO_VERDICTS, type UndoVerdict } from '#contract/bulk-changes.ts';
import { type Action, TOOL_ACTIONS } from '#contract/actions.ts';
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

type Told = BulkUndo['tells'][number];

/** `count`: a webhook or evidence, which carries the choice itself. The others are keys in `told`. */
interface ToldLine {
  key:
    | 'count'
    | 'removed'
    | 'added'
    | 'blocked'
    | 'unblocked'
    | 'moved'
    | 'were_there'
    | 'were_not_there'
    | 'as_before'
    | 'unknown'
    | 'unsent';
  count: number;
}

/** What an action does in its tool, in words about the people there. */
function wordsOf(action: Pick<Action, 'type' | 'operation'> | undefined): {
  changed: ToldLine['key'];
  stays: ToldLine['key'];
} {
  if (action === undefined) return { changed: 'count', stays: 'as_before' };
  const { type, operation } = action;
  if (type === 'webhook' || type === 'evidence') return { changed: 'count', stays: 'as_before' };
  if (type === 'switch_email') return { changed: 'moved', stays: 'as_before' };
  const isForward = operation === TOOL_ACTIONS[type].operations[0];
  if (type === 'global_unsubscribe')
    return { changed: isForward ? 'blocked' : 'unblocked', stays: 'as_before' };
  if (type === 'suppression_group') return { changed: isForward ? 'added' : 'removed', stays: 'as_before' };
  return isForward
    ? { changed: 'added', stays: 'were_not_there' }
    : { changed: 'removed', stays: 'were_there' };
}

/** What an undo does, and leaves, in the tool of an action; only what has customers, but at least one line. */
export function toldLines(
  { customers, stays, unknown, unsent }: Told,
  action: Pick<Action, 'type' | 'operation'> | undefined,
): ToldLine[] {
  const words = wordsOf(action);
  const lines: ToldLine[] = [
    { key: words.changed, count: customers },
    { key: words.stays, count: stays },
    { key: 'unknown', count: unknown },
    { key: 'unsent', count: unsent },
  ];
  const told = lines.filter(({ count }) => count > 0);
  return told.length > 0 ? told : lines.slice(0, 1);
}
