import { isToolAction, TOOL_ACTIONS } from '#contract/actions.ts';
import type { Evidence } from '#contract/choices.ts';
import { type CustomerState, hasLeft } from '#server/audience/evidence/transitions.ts';
import type { WaitingAction } from './actions.sql.ts';

/*
 * Declining a list isn't leaving it, and runs no action of a webhook. But the tool may send it to a contact whom only the tool
 * knows: there, they are taken off as if they had left.
 */

/** Does the action make the tool send less? */
function lowersInTool({ type, operation }: WaitingAction): boolean {
  if (!isToolAction(type) || type === 'switch_email') return false;
  const [forward] = TOOL_ACTIONS[type].operations;
  const isForward = operation === null || operation === forward;
  const blocks = type === 'global_unsubscribe' || type === 'suppression_group';
  return isForward === blocks;
}

const concerns = ({ list_ids: ids }: WaitingAction, listIds: readonly string[]) =>
  ids.length === 0 ? listIds.length > 0 : listIds.some((id) => ids.includes(id));

/**
 * The actions that take somebody off in a tool because of lists that they declined; not from what a list that they receive
 * is tied to as well.
 * @param actions all enabled ones
 */
export function actionsForDeclined<A extends WaitingAction>(
  actions: readonly A[],
  lists: Evidence['lists'],
  after: CustomerState,
): A[] {
  const declined = lists.filter((list) => list.declined).map(({ list_id: id }) => id);
  if (declined.length === 0) return [];
  const received = hasLeft(after)
    ? []
    : [...after.subscriptions].filter(([, isOn]) => isOn).map(([id]) => id);
  const isReceived = (action: A) =>
    action.type === 'global_unsubscribe'
      ? received.length > 0
      : actions.some((other) => isAboutSame(action, other) && concerns(other, received));
  return actions.filter(
    (action) =>
      action.event === 'unsubscribed' &&
      lowersInTool(action) &&
      concerns(action, declined) &&
      !isReceived(action),
  );
}

function isAboutSame(one: WaitingAction, other: WaitingAction): boolean {
  return (
    one.integration_id === other.integration_id &&
    one.type === other.type &&
    one.target['id'] === other.target['id']
  );
}
