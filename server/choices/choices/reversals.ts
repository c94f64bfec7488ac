import type { CustomerState } from '#server/audience/evidence/transitions.ts';
import type { ChoiceWish } from './choices.ts';

/** What somebody receives again that they had left (or paused) before. */
export interface Reversal {
  /** They had left everything, or paused it. */
  everything: boolean;
  listIds: string[];
}

/** What of an opt-out is taken back between two states; null: nothing. */
export function reversalBetween(before: CustomerState, after: CustomerState): Reversal | null {
  const everything = before.globalUnsubscribe && !after.globalUnsubscribe;
  const listIds = [...after.subscriptions].flatMap(([id, subscribed]) =>
    subscribed && before.subscriptions.get(id) === false ? [id] : [],
  );
  return everything || listIds.length > 0 ? { everything, listIds } : null;
}

/** The part of a wish that takes back an opt-out, and the part that does not. */
interface SplitWish {
  now: ChoiceWish;
  held: Reversal | null;
}

/**
 * Leaving, and choosing what was never chosen, is done now. Coming back to a list that was switched off, to anything
 * after leaving everything, or from a pause before its end is held.
 */
export function splitWish(before: CustomerState, wish: ChoiceWish): SplitWish {
  if ('restore' in wish) return { now: wish, held: null };
  if ('pauseUntil' in wish) {
    // An earlier end would bring back sooner; the longer pause stays.
    const endsSooner = before.pausedUntil !== null && wish.pauseUntil < before.pausedUntil;
    return { now: endsSooner ? {} : wish, held: null };
  }
  const { lists = [], globalUnsubscribe, ...rest } = wish;
  const comesBack = globalUnsubscribe === false && before.globalUnsubscribe;
  const hasLeft = before.globalUnsubscribe && before.pausedUntil === null && globalUnsubscribe !== true;
  const held = lists.filter(
    ({ list_id: id, subscribed }) => subscribed && (hasLeft || before.subscriptions.get(id) === false),
  );
  const now: ChoiceWish = {
    ...rest,
    lists: lists.filter((list) => !held.includes(list)),
    ...(globalUnsubscribe === undefined || comesBack ? {} : { globalUnsubscribe }),
  };
  if (held.length === 0 && !comesBack) return { now, held: null };
  return { now, held: { everything: comesBack, listIds: held.map(({ list_id: id }) => id) } };
}
