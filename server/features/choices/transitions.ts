import type { ChoiceEvent, Evidence } from '#contract/choices.ts';

/** What a customer has: `subscriptions` holds only the lists ever chosen. */
export interface CustomerState {
  globalUnsubscribe: boolean;
  subscriptions: ReadonlyMap<string, boolean>;
}

/** What a customer wants. Lists left out stay as they are, except when coming back (see `applyWish`). */
export interface Wish {
  lists?: readonly { list_id: string; subscribed: boolean }[];
  globalUnsubscribe?: boolean;
}

/** What somebody receives of a list: nothing after leaving everything, null when never chosen. */
function effective(state: CustomerState, listId: string): boolean | null {
  return state.globalUnsubscribe ? false : (state.subscriptions.get(listId) ?? null);
}

/**
 * The state after a wish. Who had left everything and now asks for single lists comes back for these alone:
 * the others, which they were not asked about, become explicit opt-outs.
 */
export function applyWish(before: CustomerState, wish: Wish): CustomerState {
  const subscriptions = new Map(before.subscriptions);
  const wanted = wish.lists ?? [];
  const comesBackByList =
    before.globalUnsubscribe &&
    wish.globalUnsubscribe === undefined &&
    wanted.some((list) => list.subscribed);
  if (comesBackByList) {
    for (const [listId, subscribed] of subscriptions) if (subscribed) subscriptions.set(listId, false);
  }
  for (const list of wanted) subscriptions.set(list.list_id, list.subscribed);
  return {
    globalUnsubscribe: comesBackByList ? false : (wish.globalUnsubscribe ?? before.globalUnsubscribe),
    subscriptions,
  };
}

export interface Transition {
  events: ChoiceEvent[];
  lists: Evidence['lists'];
}

/**
 * What happened between two states, list by list: somebody who leaves everything leaves each list, so that the
 * rules about a single list hold then, too.
 * @param lists every list of the site
 */
export function transitionBetween(
  before: CustomerState,
  after: CustomerState,
  lists: readonly { id: string; name: string }[],
): Transition {
  const changed = lists.flatMap((list) => {
    const previous = effective(before, list.id);
    const subscribed = effective(after, list.id);
    if (subscribed === null || subscribed === previous) return [];
    return [{ list_id: list.id, name: list.name, subscribed, previous }];
  });
  const events: ChoiceEvent[] = [];
  if (changed.some((list) => list.subscribed)) events.push('subscribed');
  if (changed.some((list) => !list.subscribed)) events.push('unsubscribed');
  if (!before.globalUnsubscribe && after.globalUnsubscribe) events.push('global_unsubscribed');
  if (before.globalUnsubscribe && !after.globalUnsubscribe) events.push('global_resubscribed');
  return { events, lists: changed };
}

/** Does a person who came back need new proof from old links? The epoch grows with every consent that is raised. */
export function raisesConsent(transition: Transition): boolean {
  return transition.events.includes('subscribed') || transition.events.includes('global_resubscribed');
}
