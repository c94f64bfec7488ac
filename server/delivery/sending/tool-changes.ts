import { type RequestedChange, TOOL_ACTIONS } from '#contract/actions.ts';
import type { ChoiceEvent, Evidence } from '#contract/choices.ts';
import { isSameAddress } from '#contract/email-key.ts';
import type { ToolEffect } from '#db/tables.ts';
import type { CustomerState } from '#server/audience/evidence/transitions.ts';
import type { Capability, Change, Connector, Consent, ToolState } from '#server/connectors/connector.ts';
import type { ActionRow } from '#server/delivery/actions/actions.sql.ts';
import { capabilityOf } from '#server/tools/integrations/catalogue.ts';

/** Input for an action's change: the customer's present state and what the choice was about. */
export interface ChangeContext {
  email: string;
  /** The previous address, if the choice changed it. */
  previousEmail: string | null;
  /** Addresses that the tool may still mail (`formerEmailsOf`). */
  formerEmails: readonly string[];
  now: CustomerState;
  /** The lists that the choice is about. */
  listIds: readonly string[];
  /** What the choice was, for tools. */
  events: readonly ChoiceEvent[];
  /** Missing where no choice says it. */
  consent?: Consent | undefined;
}

/** In a tool, declining a list takes people off like leaving it, and so does asking again to stop what is off here. */
export function askedOfTools({
  events,
  lists,
  shown: { already_off: again },
}: Pick<Evidence, 'events' | 'lists'> & {
  shown: Pick<Evidence['shown'], 'already_off'>;
}): Pick<ChangeContext, 'listIds' | 'events'> {
  const isEverything = again?.everything === true;
  const offAgain = again?.lists ?? [];
  const isOff = isEverything || offAgain.length > 0 || lists.some((list) => list.declined);
  return {
    listIds: [...lists, ...offAgain].map(({ list_id }) => list_id),
    events: [
      ...events,
      ...(isOff ? (['unsubscribed'] as const) : []),
      ...(isEverything ? (['global_unsubscribed'] as const) : []),
    ],
  };
}

type Rule = Pick<ActionRow, 'type' | 'event' | 'list_ids' | 'operation' | 'target'>;

/**
 * Does the event that triggered the action still describe the customer? If they chose otherwise since, or an owner made
 * the action one for other choices, nothing is changed.
 */
function stillHolds({ event, list_ids: chosen }: Rule, { now, listIds, events }: ChangeContext): boolean {
  if (!events.includes(event)) return false;
  const concerned = chosen.length === 0 ? listIds : listIds.filter((id) => chosen.includes(id));
  const isLeavingAll = now.globalUnsubscribe && events.includes('global_unsubscribed');
  const receives = (id: string) => !now.globalUnsubscribe && now.subscriptions.get(id) === true;
  switch (event) {
    case 'subscribed':
      return concerned.some(receives);
    case 'unsubscribed':
      return isLeavingAll || concerned.some((id) => !receives(id));
    case 'global_unsubscribed':
      return now.globalUnsubscribe;
    case 'global_resubscribed':
      return !now.globalUnsubscribe;
    case 'email_changed':
    case 'customer_created':
      return true;
  }
}

/** Events that express no consent must not resubscribe in the tool a customer who has left everything since. */
function wouldResubscribe({ event, type }: Rule, on: boolean, { now }: ChangeContext): boolean {
  const isAboutConsent = event !== 'email_changed' && event !== 'customer_created';
  if (isAboutConsent || !now.globalUnsubscribe) return false;
  return type === 'global_unsubscribe' || type === 'suppression_group' ? !on : on;
}

function isForward(capability: Capability & { can: true }, operation: string | null): boolean {
  return operation === null || operation === capability.operations[0];
}

/**
 * The changes that an action needs in the tool, given the customer's present state.
 * @returns empty if nothing has to change
 */
export function changesFor(connector: Connector, rule: Rule, context: ChangeContext): Change[] {
  const { type } = rule;
  const capability = capabilityOf(connector, type);
  if (!capability.can || type === 'webhook' || type === 'evidence') return [];
  if (!stillHolds(rule, context)) return [];
  const { email, consent } = context;
  if (type === 'switch_email') return emailSwitchOf(connector, context);
  const on = isForward(capability, rule.operation);
  if (wouldResubscribe(rule, on, context)) return [];
  const target = { id: String(rule.target['id']), name: String(rule.target['name']) };
  const change: Change = type === 'global_unsubscribe' ? { type, email, on } : { type, email, target, on };
  if (isLowering(change)) return atEachAddress(change, context);
  return ['target' in change && consent !== undefined ? { ...change, consent } : change];
}

/** A change that sends less holds for all addresses that a person had there. */
const atEachAddress = (change: Change, { formerEmails }: ChangeContext): Change[] => [
  change,
  ...formerEmails.map((email) => ({ ...change, email })),
];

/** What an action asks its tool for, whoever it is about; null where the tool can't do it. */
export function askedBy(
  connector: Connector,
  { type, operation, target }: Pick<Rule, 'type' | 'operation' | 'target'>,
): Pick<ToolEffect, 'type' | 'target' | 'on'> | null {
  const capability = capabilityOf(connector, type);
  if (!capability.can || type === 'webhook' || type === 'evidence') return null;
  const hasTarget = type !== 'switch_email' && type !== 'global_unsubscribe';
  return { type, target: hasTarget ? String(target['id']) : null, on: isForward(capability, operation) };
}

/** Some tools drop a block when the address changes, so customers who left everything are blocked again. */
function emailSwitchOf(
  connector: Connector,
  { email, previousEmail, formerEmails, now }: ChangeContext,
): Change[] {
  if (previousEmail === null) return [];
  // A tool that missed an earlier move still has them at the address before.
  const earlier = formerEmails.filter((one) => !isSameAddress(one, previousEmail));
  const moves = [previousEmail, ...earlier].map((from): Change => ({ type: 'switch_email', from, email }));
  const isBlocked = now.globalUnsubscribe && connector.actions.global_unsubscribe.can;
  return isBlocked ? [...moves, { type: 'global_unsubscribe', email, on: true }] : moves;
}

/** Events after which something lasts; being added or moved are moments. */
const LASTING: readonly ChoiceEvent[] = ['subscribed', 'unsubscribed', 'global_unsubscribed'];

/** The changes that the actions of a tool want for a person's present state, whatever they chose last. */
function lastingChangesOf(
  connector: Connector,
  rules: readonly Rule[],
  { email, now }: Pick<ChangeContext, 'email' | 'now'>,
): Change[] {
  const listIds = [...now.subscriptions.keys()];
  const context = { email, now, listIds, previousEmail: null, formerEmails: [], events: LASTING };
  return rules
    .filter(({ event }) => LASTING.includes(event))
    .flatMap((rule) => changesFor(connector, rule, context));
}

/**
 * Leaves out a removal from something that another action of the same tool wants the person in: where two lists feed one
 * target, a person stays in it until they leave both.
 */
export function withoutDisputed(
  connector: Connector,
  rules: readonly Rule[],
  changes: readonly Change[],
  person: Pick<ChangeContext, 'email' | 'now'>,
): Change[] {
  if (!changes.some(isLowering)) return [...changes];
  const lasting = lastingChangesOf(connector, rules, person);
  return changes.filter((change) => !isLowering(change) || !lasting.some((one) => isOpposite(one, change)));
}

/**
 * The state that all actions of a tool want for a person. Nobody is put into an automation or a funnel, which may have ended
 * for them.
 */
export function desiredInTool(
  connector: Connector,
  rules: readonly Rule[],
  person: Pick<ChangeContext, 'email' | 'now'>,
): Change[] {
  const lasting = lastingChangesOf(connector, rules, person).filter(
    (change) => isLowering(change) || (change.type !== 'automation' && change.type !== 'funnel'),
  );
  return withoutDisputed(connector, rules, lasting, person);
}

function isOpposite(one: Change, other: Change): boolean {
  if (one.type === 'switch_email' || other.type === 'switch_email') return false;
  if (one.type !== other.type || one.on === other.on) return false;
  return !('target' in one) || !('target' in other) || one.target.id === other.target.id;
}

/** A change in the words of the API. */
export function requestedChangeOf(change: Change): RequestedChange {
  const { type, email } = change;
  if (type === 'switch_email') {
    return { type, operation: 'change', target: null, email, previous_email: change.from };
  }
  const [forward, back] = TOOL_ACTIONS[type].operations;
  const target = type === 'global_unsubscribe' ? null : change.target;
  return { type, operation: change.on ? forward : back, target, email, previous_email: null };
}

/** Does the tool show the change? null: it does not say. */
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
 * Was there nothing to do because the tool does not know the person? An unknown person who is removed or blocked gets
 * no mail anyway. For other changes this holds only if nothing was written, since a tool may show a new person later.
 */
export function wasAlreadyInSync(changes: readonly Change[], state: ToolState, hasWritten: boolean): boolean {
  if (state.known) return false;
  return changes.every((change) => {
    const isBlocked = change.type === 'global_unsubscribe' && change.on && state.unsubscribed === true;
    const isHeldBack = change.type === 'suppression_group' && confirms(change, state) === true;
    if (isBlocked || isHeldBack) return false;
    return isLowering(change) || (!hasWritten && !isRaising(change));
  });
}

/** Has the tool asked the person to confirm it? */
export const isAwaited = (change: Change, { awaited = [] }: ToolState): boolean =>
  'target' in change && change.on && awaited.includes(change.target.id);

/** The change removes or blocks, so that nobody gets more mail. */
function isLowering(change: Change): boolean {
  if (change.type === 'switch_email') return false;
  const isBlock = change.type === 'global_unsubscribe' || change.type === 'suppression_group';
  return change.on === isBlock;
}

/** The change would have to create the person. */
export function isRaising(change: Change): boolean {
  const isBlock = change.type === 'global_unsubscribe' || change.type === 'suppression_group';
  return change.type !== 'switch_email' && !isBlock && change.on;
}

function holds(
  ids: readonly string[] | undefined,
  { target, on }: { target: { id: string }; on: boolean },
): boolean | null {
  return ids === undefined ? null : ids.includes(target.id) === on;
}
