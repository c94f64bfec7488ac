import type { AlreadyOff, ChoiceSource } from '#contract/choices.ts';
import { type ChoosableList, type CustomerState, hasLeft } from '#server/audience/evidence/transitions.ts';
import { VISITOR_SOURCES } from '#server/audience/machines/judge.ts';
import type { ChoiceChange, ChoiceContext } from './choices.ts';

/** What a person decides; everything else is done for them. An undo of theirs is told apart by what it undoes. */
export const BY_PEOPLE: ReadonlySet<ChoiceSource> = new Set([...VISITOR_SOURCES, 'erasure']);

/** What a person asks to stop, and is off already; null: nothing. */
export function alreadyOffOf(
  before: CustomerState,
  change: ChoiceChange,
  { source, isSaidInTool }: Pick<ChoiceContext, 'source' | 'isSaidInTool'>,
  lists: readonly ChoosableList[],
): AlreadyOff | null {
  if (!(BY_PEOPLE.has(source) || isSaidInTool === true) || 'restore' in change) return null;
  const everything = stopsEverything(change) && isStopped(before, change);
  const wanted = 'lists' in change ? (change.lists ?? []) : [];
  const off = wanted.filter(
    ({ list_id: id, subscribed }) => !subscribed && before.subscriptions.get(id) === false,
  );
  if (!everything && off.length === 0) return null;
  const ids = new Set(off.map(({ list_id: id }) => id));
  return {
    everything,
    lists: lists.filter(({ id }) => ids.has(id)).map(({ id: list_id, name }) => ({ list_id, name })),
  };
}

function stopsEverything(change: ChoiceChange): boolean {
  if ('pauseUntil' in change || 'wrongRecipientAt' in change) return true;
  return 'globalUnsubscribe' in change && change.globalUnsubscribe === true;
}

/** For good, or for the very pause that is asked for. */
function isStopped(before: CustomerState, change: ChoiceChange): boolean {
  if (hasLeft(before)) return true;
  return 'pauseUntil' in change && before.pausedUntil?.getTime() === change.pauseUntil.getTime();
}
