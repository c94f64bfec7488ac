import { TOOL_ACTIONS } from '#contract/actions.ts';
import type { CustomerState } from '#server/audience/evidence/transitions.ts';
import type { Capability, Change, Connector, ToolState } from '#server/connectors/connector.ts';
import type { ActionRow } from '#server/delivery/actions/actions.sql.ts';
import { capabilityOf } from '#server/tools/integrations/catalogue.ts';

/** What an action is carried out for: the customer as they are now, and what the choice was about. */
export interface Occasion {
  email: string;
  /** The address before the choice, of a choice that changed it. */
  previousEmail: string | null;
  now: CustomerState;
  /** The lists that the choice changed. */
  listIds: readonly string[];
}

type Rule = Pick<ActionRow, 'type' | 'event' | 'list_ids' | 'operation' | 'target'>;

/** Does what the action waited for still hold? Somebody who changed their mind since is brought nowhere. */
function stillHolds({ event, list_ids: chosen }: Rule, { now, listIds }: Occasion): boolean {
  const concerned = chosen.length === 0 ? listIds : listIds.filter((id) => chosen.includes(id));
  const receives = (id: string) => !now.globalUnsubscribe && now.subscriptions.get(id) === true;
  switch (event) {
    case 'subscribed':
      return concerned.some(receives);
    case 'unsubscribed':
      return concerned.some((id) => !receives(id));
    case 'global_unsubscribed':
      return now.globalUnsubscribe;
    case 'global_resubscribed':
      return !now.globalUnsubscribe;
    case 'email_changed':
    case 'customer_created':
      return true;
  }
}

/** Such an event says nothing of what the person wants: late, it would bring back in the tool who has left everything. */
function bringsBack({ event, type }: Rule, on: boolean, { now }: Occasion): boolean {
  const isAboutConsent = event !== 'email_changed' && event !== 'customer_created';
  if (isAboutConsent || !now.globalUnsubscribe) return false;
  return type === 'global_unsubscribe' || type === 'suppression_group' ? !on : on;
}

function isForward(capability: Capability & { can: true }, operation: string | null): boolean {
  return operation === null || operation === capability.operations[0];
}

/**
 * What the tool has to be brought to for an action, from the customer's present state.
 * @returns empty when there is nothing to bring (any more)
 */
export function changesFor(connector: Connector, rule: Rule, occasion: Occasion): Change[] {
  const { type } = rule;
  const capability = capabilityOf(connector, type);
  if (!capability.can || type === 'webhook' || type === 'evidence') return [];
  if (!stillHolds(rule, occasion)) return [];
  const { email } = occasion;
  if (type === 'switch_email') return moveOf(connector, occasion);
  const on = isForward(capability, rule.operation);
  if (bringsBack(rule, on, occasion)) return [];
  if (type === 'global_unsubscribe') return [{ type, email, on }];
  const target = { id: String(rule.target['id']), name: String(rule.target['name']) };
  return [{ type, email, target, on }];
}

/** Some tools forget a block with the address: whoever left everything is blocked again. */
function moveOf(connector: Connector, { email, previousEmail, now }: Occasion): Change[] {
  if (previousEmail === null) return [];
  const move: Change = { type: 'switch_email', from: previousEmail, email };
  const isBlocked = now.globalUnsubscribe && connector.actions.global_unsubscribe.can;
  return isBlocked ? [move, { type: 'global_unsubscribe', email, on: true }] : [move];
}

/** Is the tool where a change brought it, as far as it says? null: it does not say. */
export function confirms(change: Change, state: ToolState): boolean | null {
  switch (change.type) {
    case 'global_unsubscribe':
      return state.unsubscribed === undefined ? null : state.unsubscribed === change.on;
    case 'switch_email':
      return state.known;
    default:
      return holds(state[TOOL_ACTIONS[change.type].target], change);
  }
}

/**
 * Did the tool have nothing to do for a person whom it does not have? Who is taken off, or blocked, there is not mailed
 * anyway. For other changes it counts only where nothing was told to the tool: it may show a new person later.
 */
export function hadNothingToDo(changes: readonly Change[], state: ToolState, hasWritten: boolean): boolean {
  if (state.known) return false;
  return changes.every((change) => {
    const isBlocked = change.type === 'global_unsubscribe' && change.on && state.unsubscribed === true;
    const isHeldBack = change.type === 'suppression_group' && confirms(change, state) === true;
    if (isBlocked || isHeldBack) return false;
    return asksLess(change) || (!hasWritten && !asksMore(change));
  });
}

/** Taken out of something, or blocked: nobody is mailed more for it. */
function asksLess(change: Change): boolean {
  if (change.type === 'switch_email') return false;
  const isBlock = change.type === 'global_unsubscribe' || change.type === 'suppression_group';
  return change.on === isBlock;
}

/** Somebody who is not there would have to be made for it. */
function asksMore(change: Change): boolean {
  const isBlock = change.type === 'global_unsubscribe' || change.type === 'suppression_group';
  return change.type !== 'switch_email' && !isBlock && change.on;
}

function holds(
  ids: readonly string[] | undefined,
  { target, on }: { target: { id: string }; on: boolean },
): boolean | null {
  return ids === undefined ? null : ids.includes(target.id) === on;
}
