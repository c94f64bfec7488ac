import type { Action } from './actions.ts';

/** The parts of an action that decide what it does in a tool. */
export type ActionRule = Pick<
  Action,
  'enabled' | 'integration_id' | 'type' | 'operation' | 'trigger' | 'target'
> & { id: string | null };

/** Does it follow who is in a list, by a list, tag or suppression group of the tool? */
function followsLists({ enabled, integration_id, trigger, target }: ActionRule): boolean {
  const isAboutList = trigger.event === 'subscribed' || trigger.event === 'unsubscribed';
  return enabled && integration_id !== null && isAboutList && target['id'] !== undefined;
}

/** Where an action about lists moves customers in a tool: into what it is about, or out of it. */
export function directionOf(rule: ActionRule): 'in' | 'out' | null {
  if (!followsLists(rule)) return null;
  const { type, operation, trigger } = rule;
  const [raising, lowering] = type === 'suppression_group' ? ['remove', 'add'] : ['add', 'remove'];
  if (trigger.event === 'subscribed' && operation === raising) return 'in';
  return trigger.event === 'unsubscribed' && operation === lowering ? 'out' : null;
}

function isInSamePlace(one: ActionRule, other: ActionRule): boolean {
  return (
    one.integration_id === other.integration_id &&
    one.type === other.type &&
    one.target['id'] === other.target['id']
  );
}

/** The existing lists that it is for. */
function listIdsOf({ trigger }: ActionRule, lists: readonly { id: string }[]): string[] {
  const { list_ids: chosen } = trigger;
  return lists.map(({ id }) => id).filter((id) => chosen.length === 0 || chosen.includes(id));
}

/**
 * Actions that take customers of other lists from the same place in the tool: who unsubscribes from one of these lists is
 * taken from there although still subscribed to another. Where another action puts subscribers of that list there, they stay
 * (decision 070), and nothing overlaps.
 * @param actions all of the site
 */
export function overlapping<Other extends ActionRule>(
  rule: ActionRule,
  actions: readonly Other[],
  lists: readonly { id: string }[],
): Other[] {
  if (directionOf(rule) !== 'out') return [];
  const others = actions.filter((one) => one.id !== rule.id && isInSamePlace(one, rule));
  const moving = (direction: 'in' | 'out') => others.filter((one) => directionOf(one) === direction);
  const kept = new Set(moving('in').flatMap((one) => listIdsOf(one, lists)));
  const own = listIdsOf(rule, lists);
  const isTaken = (ids: readonly string[], by: readonly string[]) =>
    ids.some((id) => !by.includes(id) && !kept.has(id));
  return moving('out').filter((other) => {
    const theirs = listIdsOf(other, lists);
    if (own.length === 0 || theirs.length === 0) return false;
    return isTaken(theirs, own) || isTaken(own, theirs);
  });
}
