import {
  applyChange,
  type ChoosableList,
  type CustomerState,
  type PreferenceChange,
} from '#server/audience/evidence/transitions.ts';
import type { ChoiceChange } from './choices.ts';

/** Shown as on by pages: received now, or again after a pause. */
function isOn(
  { globalUnsubscribe, pausedUntil, subscriptions }: CustomerState,
  list: ChoosableList,
): boolean {
  if (globalUnsubscribe && pausedUntil === null) return false;
  return subscriptions.get(list.id) ?? list.default_state;
}

/** Time until which nothing is received. */
function silentUntil({ globalUnsubscribe, pausedUntil }: CustomerState): number {
  if (!globalUnsubscribe) return 0;
  return pausedUntil?.getTime() ?? Infinity;
}

/** Would the customer receive anything new, sooner, or at another address? */
export function raisesConsent(
  before: CustomerState,
  change: ChoiceChange,
  lists: readonly ChoosableList[],
): boolean {
  if (change.email !== undefined) return true;
  if ('globalUnsubscribe' in change && change.globalUnsubscribe === false) return true;
  const after = applyChange(before, change, lists);
  if (silentUntil(after) < silentUntil(before)) return true;
  return lists.some((list) => isOn(after, list) && !isOn(before, list));
}

/** Would the customer receive less, and nothing new? */
export function lowersConsent(
  before: CustomerState,
  change: ChoiceChange,
  lists: readonly ChoosableList[],
): boolean {
  if (raisesConsent(before, change, lists)) return false;
  const after = applyChange(before, change, lists);
  return (
    silentUntil(after) > silentUntil(before) || lists.some((list) => isOn(before, list) && !isOn(after, list))
  );
}

/** Drops the lists that are already on: sending them again is no new consent. */
export function withoutJoins(change: PreferenceChange): PreferenceChange {
  if (!('lists' in change) || change.lists === undefined) return change;
  return { ...change, lists: change.lists.filter(({ subscribed }) => !subscribed) };
}
