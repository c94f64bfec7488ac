import type { ChoosableList, CustomerState } from '#server/audience/evidence/transitions.ts';
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

/**
 * Holds what subscribes to a list with double opt-in: switching it on, and resubscribing to everything while it is on
 * underneath. Who has left everything comes back with the first list, so then all of them wait together. The end of a
 * pause subscribes to nothing.
 */
export function splitDoubleOptIn(
  before: CustomerState,
  change: ChoiceChange,
  lists: readonly ChoosableList[],
): SplitChange {
  if ('restore' in change || 'pauseUntil' in change || 'wrongRecipientAt' in change) {
    return { now: change, held: null };
  }
  const isDouble = new Set(lists.filter((list) => list.double_opt_in).map(({ id }) => id));
  const { lists: wanted = [], globalUnsubscribe, ...rest } = change;
  const hasLeft = before.globalUnsubscribe && before.pausedUntil === null;
  const joins = wanted.filter(
    ({ list_id: id, subscribed }) => subscribed && (hasLeft || before.subscriptions.get(id) !== true),
  );
  const isBack = globalUnsubscribe === false && hasLeft;
  const returnsTo = isBack ? [...before.subscriptions].filter(([, isOn]) => isOn).map(([id]) => id) : [];
  if (![...joins.map(({ list_id: id }) => id), ...returnsTo].some((id) => isDouble.has(id))) {
    return { now: change, held: null };
  }
  const held = hasLeft ? joins : joins.filter(({ list_id: id }) => isDouble.has(id));
  return {
    now: {
      ...rest,
      lists: wanted.filter((list) => !held.includes(list)),
      ...(globalUnsubscribe === undefined || isBack ? {} : { globalUnsubscribe }),
    },
    held: { everything: isBack, listIds: held.map(({ list_id: id }) => id) },
  };
}

/** Whether the customer receives a list with double opt-in: their mailbox was confirmed for it, and another was not. */
export function receivesDoubleOptIn(
  { globalUnsubscribe, pausedUntil, subscriptions }: CustomerState,
  lists: readonly ChoosableList[],
): boolean {
  const hasLeft = globalUnsubscribe && pausedUntil === null;
  return !hasLeft && lists.some(({ id, double_opt_in }) => double_opt_in && subscriptions.get(id) === true);
}
