import {
  applyWish,
  type ChoosableList,
  type CustomerState,
  type Wish,
} from '#server/audience/evidence/transitions.ts';
import type { ChoiceWish } from './choices.ts';

/** What pages show as on: what is received, or comes after a pause. */
function isOn(
  { globalUnsubscribe, pausedUntil, subscriptions }: CustomerState,
  list: ChoosableList,
): boolean {
  if (globalUnsubscribe && pausedUntil === null) return false;
  return subscriptions.get(list.id) ?? list.default_state;
}

/** Until when nothing is received. */
function silentUntil({ globalUnsubscribe, pausedUntil }: CustomerState): number {
  if (!globalUnsubscribe) return 0;
  return pausedUntil?.getTime() ?? Infinity;
}

/** Would the customer receive anything that they do not receive now, or sooner, or elsewhere? */
export function raisesConsent(
  before: CustomerState,
  wish: ChoiceWish,
  lists: readonly ChoosableList[],
): boolean {
  if (wish.email !== undefined) return true;
  if ('globalUnsubscribe' in wish && wish.globalUnsubscribe === false) return true;
  const after = applyWish(before, wish);
  if (silentUntil(after) < silentUntil(before)) return true;
  return lists.some((list) => isOn(after, list) && !isOn(before, list));
}

/** A wish without what it would leave on: that something is on already is no consent given again. */
export function withoutJoins(wish: Wish): Wish {
  if (!('lists' in wish) || wish.lists === undefined) return wish;
  return { ...wish, lists: wish.lists.filter(({ subscribed }) => !subscribed) };
}
