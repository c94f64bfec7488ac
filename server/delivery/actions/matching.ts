import type { ChoiceEvent, Evidence } from '#contract/choices.ts';
import type { MatchableAction } from './actions.sql.ts';

function concernsLists(action: MatchableAction, lists: Evidence['lists'], subscribed: boolean): boolean {
  const concerned = lists.filter((list) => list.subscribed === subscribed && !list.declined);
  if (action.list_ids.length === 0) return concerned.length > 0;
  return concerned.some((list) => action.list_ids.includes(list.list_id));
}

/** The actions that wait for what a choice did; each of them once. */
export function matchActions<A extends MatchableAction>(
  actions: readonly A[],
  choice: { events: readonly ChoiceEvent[]; lists: Evidence['lists'] },
): A[] {
  return actions.filter((action) => {
    if (!choice.events.includes(action.event)) return false;
    if (action.event === 'subscribed') return concernsLists(action, choice.lists, true);
    if (action.event === 'unsubscribed') return concernsLists(action, choice.lists, false);
    return true;
  });
}
