import { isToolAction, TOOL_ACTIONS } from '#contract/actions.ts';
import type { AlreadyOff, ChoiceEvent, Evidence } from '#contract/choices.ts';
import { type CustomerState, hasLeft } from '#server/audience/evidence/transitions.ts';
import type { WaitingAction } from './actions.sql.ts';

/*
 * A tool may send more than we know: to a contact whom only the tool knows, or to one who left here and joined there later. A
 * customer who declines a list, or asks again to stop what is already off, is therefore taken off in the tools as well. Webhooks
 * don't run, because nothing has changed here.
 */

export const OPT_OUTS: readonly ChoiceEvent[] = ['unsubscribed', 'global_unsubscribed'];

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

/** The actions that take somebody off in a tool because of lists that they declined. @param actions all enabled ones */
export function actionsForDeclined<A extends WaitingAction>(
  actions: readonly A[],
  lists: Evidence['lists'],
  after: CustomerState,
): A[] {
  const declined = lists.filter((list) => list.declined).map(({ list_id: id }) => id);
  return actionsForOff(actions, declined, after);
}

/**
 * The actions that take somebody off in a tool once more because they asked to stop what is off already.
 * @param actions all enabled ones
 */
export function actionsForAskedAgain<A extends WaitingAction>(
  actions: readonly A[],
  asked: AlreadyOff,
  state: CustomerState,
): A[] {
  if (asked.everything) {
    return actions.filter((action) => OPT_OUTS.includes(action.event) && lowersInTool(action));
  }
  const ids = asked.lists.filter((list) => list.deleted !== true).map(({ list_id: id }) => id);
  return actionsForOff(actions, ids, state);
}

/** The actions for lists that are off, except those whose target also belongs to a list that the customer receives. */
function actionsForOff<A extends WaitingAction>(
  actions: readonly A[],
  off: readonly string[],
  after: CustomerState,
): A[] {
  if (off.length === 0) return [];
  const received = hasLeft(after)
    ? []
    : [...after.subscriptions].filter(([, isOn]) => isOn).map(([id]) => id);
  const isReceived = (action: A) =>
    action.type === 'global_unsubscribe'
      ? received.length > 0
      : actions.some((other) => isAboutSame(action, other) && concerns(other, received));
  return actions.filter(
    (action) =>
      action.event === 'unsubscribed' && lowersInTool(action) && concerns(action, off) && !isReceived(action),
  );
}

function isAboutSame(one: WaitingAction, other: WaitingAction): boolean {
  return (
    one.integration_id === other.integration_id &&
    one.type === other.type &&
    one.target['id'] === other.target['id']
  );
}
