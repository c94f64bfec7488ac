import type { Difference, DifferenceKind } from '#contract/comparisons.ts';
import type { ToolState } from '#server/connectors/connector.ts';
import { confirms } from '#server/delivery/sending/tool-changes.ts';
import { listsTiedTo } from '#server/sync/inbound/ties.ts';
import {
  type KeptChange,
  type Person,
  receivesSomething,
  type Rules,
  targetOf,
  type Wanted,
  wantedOf,
} from './wanted.ts';

/** Something that is different in the tool, with the mend. */
export interface Finding {
  key: string;
  kind: DifferenceKind;
  actionId: string | null;
  change: KeptChange;
  ours: Difference['ours'];
  theirs: Difference['theirs'];
}

export interface Findings {
  found: Finding[];
  /** What the tool does not say, or what nobody may decide: whatever was found about it before stays. */
  undecided: string[];
}

/** Is there anything definite to ask the tool about? */
export function isWorthAsking(rules: Rules, person: Person): boolean {
  return rules.actions.length > 0 && (receivesSomething(person) || wantedOf(rules, person).length > 0);
}

/** Holds a person against what the tool says. Not being somewhere in the tool never counts as having left it. */
export function findDifferences(
  rules: Rules & { integrationId: string },
  person: Person,
  state: ToolState,
): Findings {
  const wanted = wantedOf(rules, person);
  const leftThere = [
    ...leftEverything(wanted, person, state),
    ...leftGroups(rules, wanted, person, state),
  ].map(({ change, key }) => ({
    ...found(person, state, { key, change, actionId: null, holds: true }),
    kind: 'opted_out_there' as const,
  }));
  const ofTool: Finding[] = [];
  const undecided: string[] = [];
  for (const one of wanted) {
    if (leftThere.some(({ key }) => key === one.key)) continue;
    const isSo = isAsWanted(one, state);
    if (isSo === true) continue;
    if (isSo === null || isBarred(one, state)) undecided.push(one.key);
    else ofTool.push(asFinding(one, person, state));
  }
  return { found: [...leftThere, ...ofTool], undecided };
}

/** null: the tool does not say. Of somebody whom it does not know it need not: they are in nothing, and get nothing. */
function isAsWanted({ change }: Wanted, state: ToolState): boolean | null {
  const said = confirms(change, state);
  if (said !== null || state.known) return said;
  return change.type === 'global_unsubscribe' || !change.on;
}

function asFinding(
  { key, change, actionId, effect, isDisputed }: Wanted,
  person: Person,
  state: ToolState,
): Finding {
  const kept: KeptChange = {
    in: 'tool',
    type: change.type,
    target: targetOf(change),
    on: change.on,
    list_ids: [],
  };
  return {
    ...found(person, state, { key, change: kept, actionId, holds: !change.on }),
    kind: effect === 'lowers' && !isDisputed ? 'opt_out_missing' : 'not_applied',
  };
}

/** An opt-out in the tool is never undone there: the person may have made it. */
function isBarred({ change, effect }: Wanted, state: ToolState): boolean {
  if (effect !== 'raises') return false;
  return (
    state.unsubscribed === true || change.type === 'global_unsubscribe' || change.type === 'suppression_group'
  );
}

type Left = Pick<Finding, 'key' | 'change'>;

function leftEverything(wanted: readonly Wanted[], person: Person, state: ToolState): Left[] {
  if (state.unsubscribed !== true || !receivesSomething(person)) return [];
  if (isOurDoing(wanted, person, state)) return [];
  const change: KeptChange = {
    in: 'here',
    type: 'global_unsubscribe',
    target: null,
    on: true,
    list_ids: [],
  };
  return [{ key: 'global_unsubscribe', change }];
}

/** Is the tool as we brought it? Some count whoever was taken off their last list as having left everything. */
function isOurDoing(wanted: readonly Wanted[], { wasTakenOff }: Person, state: ToolState): boolean {
  const isWanted = (type: string, on: boolean) =>
    wanted.some(({ change }) => change.type === type && change.on === on);
  if (isWanted('global_unsubscribe', true)) return true;
  return wasTakenOff && isWanted('list', false) && state.lists?.length === 0;
}

function leftGroups(
  rules: Rules & { integrationId: string },
  wanted: readonly Wanted[],
  person: Person,
  state: ToolState,
): Left[] {
  return (state.suppression_groups ?? []).flatMap((id): Left[] => {
    const key = `suppression_group:${id}`;
    if (wanted.some((one) => one.key === key && one.change.on)) return [];
    const tied = listsTiedTo(rules.actions, rules, id);
    const received = tied.filter(
      (listId) => !person.now.globalUnsubscribe && person.now.subscriptions.get(listId) === true,
    );
    if (received.length === 0) return [];
    const action = rules.actions.find((one) => one.type === 'suppression_group' && one.target['id'] === id);
    const target = { id, name: String(action?.target['name']) };
    return [{ key, change: { in: 'here', type: 'suppression_group', target, on: true, list_ids: received } }];
  });
}

function found(
  { now, changedAt }: Person,
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

/** The same difference, as far as mending it is concerned. */
export function isSameDifference(
  one: Pick<Finding, 'kind' | 'change'>,
  other: Pick<Finding, 'kind' | 'change'>,
): boolean {
  const lists = ({ change }: Pick<Finding, 'change'>) => change.list_ids.toSorted().join();
  return one.kind === other.kind && one.change.on === other.change.on && lists(one) === lists(other);
}
