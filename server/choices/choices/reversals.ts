import type { CustomerState } from '#server/audience/evidence/transitions.ts';
import type { ChoiceChange } from './choices.ts';

/** What a customer receives again after leaving or pausing it. */
export interface Reversal {
  /** The customer had left everything, or paused. */
  everything: boolean;
  listIds: string[];
}

/** The part of an opt-out that is reversed between two states; null: nothing. */
export function reversalBetween(before: CustomerState, after: CustomerState): Reversal | null {
  const everything = before.globalUnsubscribe && !after.globalUnsubscribe;
  const listIds = [...after.subscriptions].flatMap(([id, subscribed]) =>
    subscribed && before.subscriptions.get(id) === false ? [id] : [],
  );
  return everything || listIds.length > 0 ? { everything, listIds } : null;
}

/** The part of a change that reverses an opt-out, and the rest. */
interface SplitChange {
  now: ChoiceChange;
  held: Reversal | null;
}

/**
 * Leaving, and choosing a list for the first time, happens now. Held for confirmation: resubscribing to a list that
 * was switched off, to anything after leaving everything, and ending a pause early.
 */
export function splitChange(before: CustomerState, change: ChoiceChange): SplitChange {
  if ('restore' in change || 'wrongRecipientAt' in change) return { now: change, held: null };
  if ('pauseUntil' in change) {
    // An earlier end would resubscribe sooner, so the longer pause stays.
    const endsSooner = before.pausedUntil !== null && change.pauseUntil < before.pausedUntil;
    return { now: endsSooner ? {} : change, held: null };
  }
  const { lists = [], globalUnsubscribe, ...rest } = change;
  const comesBack = globalUnsubscribe === false && before.globalUnsubscribe;
  const hasLeft = before.globalUnsubscribe && before.pausedUntil === null && globalUnsubscribe !== true;
  const held = lists.filter(
    ({ list_id: id, subscribed }) => subscribed && (hasLeft || before.subscriptions.get(id) === false),
  );
  const now: ChoiceChange = {
    ...rest,
    lists: lists.filter((list) => !held.includes(list)),
    ...(globalUnsubscribe === undefined || comesBack ? {} : { globalUnsubscribe }),
  };
  if (held.length === 0 && !comesBack) return { now, held: null };
  return { now, held: { everything: comesBack, listIds: held.map(({ list_id: id }) => id) } };
}
