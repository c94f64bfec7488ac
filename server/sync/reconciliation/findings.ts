import type { Difference, DifferenceKind } from '#contract/comparisons.ts';
import type { ToolState } from '#server/connectors/connector.ts';
import { confirms, isAwaited } from '#server/delivery/sending/tool-changes.ts';
import { listMappingsOf } from '#server/sync/inbound/list-mappings.ts';
import {
  type StoredChange,
  type ComparedCustomer,
  receivesSomething,
  type ToolRules,
  targetOf,
  type DesiredChange,
  desiredChangesOf,
} from './desired-changes.ts';

/** A discrepancy, with the change that repairs it. */
export interface Finding {
  key: string;
  kind: DifferenceKind;
  actionId: string | null;
  change: StoredChange;
  ours: Difference['ours'];
  theirs: Difference['theirs'];
}

export interface Findings {
  found: Finding[];
  /** Targets that the tool does not report or that must not be decided: earlier findings about them stay. */
  undecided: string[];
}

/** Is there anything to compare? */
export function hasDesiredState(rules: ToolRules, customer: ComparedCustomer): boolean {
  return (
    rules.actions.length > 0 && (receivesSomething(customer) || desiredChangesOf(rules, customer).length > 0)
  );
}

/** Compares a customer with the tool's state. Absence from the tool never counts as an opt-out. */
export function findDiscrepancies(
  rules: ToolRules & { integrationId: string },
  customer: ComparedCustomer,
  state: ToolState,
): Findings {
  const wanted = desiredChangesOf(rules, customer);
  const leftThere = [
    ...optedOutOfAll(wanted, customer, state),
    ...optedOutOfGroups(rules, wanted, customer, state),
  ].map(({ change, key }) => ({
    ...found(customer, state, { key, change, actionId: null, holds: true }),
    kind: 'opted_out_there' as const,
  }));
  const ofTool: Finding[] = [];
  const undecided: string[] = [];
  for (const one of wanted) {
    if (leftThere.some(({ key }) => key === one.key)) continue;
    const isSo = isAsDesired(one, state);
    if (isSo === true) continue;
    if (isSo === null || isForbidden(one, state)) undecided.push(one.key);
    else ofTool.push(asFinding(one, customer, state));
  }
  return { found: [...leftThere, ...ofTool], undecided };
}

/** null: the tool does not say. A person unknown to the tool is in nothing and gets nothing. */
function isAsDesired({ change }: DesiredChange, state: ToolState): boolean | null {
  const said = confirms(change, state);
  // Once the person confirms there, it is.
  if (said === false && isAwaited(change, state)) return null;
  if (said !== null || state.known) return said;
  return change.type === 'global_unsubscribe' || !change.on;
}

function asFinding(
  { key, change, actionId, effect, isDisputed }: DesiredChange,
  customer: ComparedCustomer,
  state: ToolState,
): Finding {
  const kept: StoredChange = {
    in: 'tool',
    type: change.type,
    target: targetOf(change),
    on: change.on,
    list_ids: [],
  };
  return {
    ...found(customer, state, { key, change: kept, actionId, holds: !change.on }),
    kind: effect === 'lowers' && !isDisputed ? 'opt_out_missing' : 'not_applied',
  };
}

/** An opt-out in the tool is never undone, since it may be the person's own. */
function isForbidden({ change, effect }: DesiredChange, state: ToolState): boolean {
  if (effect !== 'raises') return false;
  return (
    state.unsubscribed === true || change.type === 'global_unsubscribe' || change.type === 'suppression_group'
  );
}

type OptOut = Pick<Finding, 'key' | 'change'>;

function optedOutOfAll(
  wanted: readonly DesiredChange[],
  customer: ComparedCustomer,
  state: ToolState,
): OptOut[] {
  if (state.unsubscribed !== true || !receivesSomething(customer)) return [];
  if (isOwnWrite(wanted, customer, state)) return [];
  const change: StoredChange = {
    in: 'here',
    type: 'global_unsubscribe',
    target: null,
    on: true,
    list_ids: [],
  };
  return [{ key: 'global_unsubscribe', change }];
}

/**
 * Is the opt-out the result of our own writes? Some tools report people removed from their last list as having left
 * everything.
 */
function isOwnWrite(
  wanted: readonly DesiredChange[],
  { wasTakenOff }: ComparedCustomer,
  state: ToolState,
): boolean {
  const isWanted = (type: string, on: boolean) =>
    wanted.some(({ change }) => change.type === type && change.on === on);
  if (isWanted('global_unsubscribe', true)) return true;
  return wasTakenOff && isWanted('list', false) && state.lists?.length === 0;
}

function optedOutOfGroups(
  rules: ToolRules & { integrationId: string },
  wanted: readonly DesiredChange[],
  customer: ComparedCustomer,
  state: ToolState,
): OptOut[] {
  return (state.suppression_groups ?? []).flatMap((id): OptOut[] => {
    const key = `suppression_group:${id}`;
    if (wanted.some((one) => one.key === key && one.change.on)) return [];
    const tied = listMappingsOf(rules.actions, rules, id);
    const received = tied.filter(
      (listId) => !customer.now.globalUnsubscribe && customer.now.subscriptions.get(listId) === true,
    );
    if (received.length === 0) return [];
    const action = rules.actions.find((one) => one.type === 'suppression_group' && one.target['id'] === id);
    const target = { id, name: String(action?.target['name']) };
    return [{ key, change: { in: 'here', type: 'suppression_group', target, on: true, list_ids: received } }];
  });
}

function found(
  { now, changedAt }: ComparedCustomer,
  state: ToolState,
  { holds, ...rest }: Pick<Finding, 'key' | 'change' | 'actionId'> & { holds: boolean },
): Omit<Finding, 'kind'> {
  return {
    ...rest,
    ours: {
      global_unsubscribe: now.globalUnsubscribe,
      paused_until: now.pausedUntil?.toISOString() ?? null,
      lists: [...now.subscriptions].map(([listId, subscribed]) => ({ list_id: listId, subscribed })),
      changed_at: changedAt.toISOString(),
    },
    theirs: { known: state.known, unsubscribed: state.unsubscribed ?? null, holds },
  };
}

/** The same discrepancy, as far as the repair is concerned. */
export function isSameDiscrepancy(
  one: Pick<Finding, 'kind' | 'change'>,
  other: Pick<Finding, 'kind' | 'change'>,
): boolean {
  const lists = ({ change }: Pick<Finding, 'change'>) => change.list_ids.toSorted().join();
  return one.kind === other.kind && one.change.on === other.change.on && lists(one) === lists(other);
}
