import { type ActionRule, directionOf } from '#contract/action-overlaps.ts';
import type { Action } from '#contract/actions.ts';
import { targetOf } from './actions.logic.ts';

type Lists = readonly { id: string }[];

/** null: it is only for deleted lists, and never runs. */
function listsOf({ trigger }: ActionRule, lists: readonly { id: string }[]): string | null {
  if (trigger.list_ids.length === 0) return 'any';
  const ids = lists.flatMap(({ id }) => (trigger.list_ids.includes(id) ? [id] : []));
  return ids.length === 0 ? null : ids.join(' ');
}

/** Those that take the same lists' customers the other way, by the same kind of thing in the same tool. */
function partnersOf(rule: ActionRule, actions: readonly Action[], lists: Lists): Action[] {
  const own = listsOf(rule, lists);
  const direction = directionOf(rule);
  if (direction === null || own === null) return [];
  const opposite = direction === 'in' ? 'out' : 'in';
  return actions.filter(
    (other) =>
      other.id !== rule.id &&
      other.integration_id === rule.integration_id &&
      other.type === rule.type &&
      directionOf(other) === opposite &&
      listsOf(other, lists) === own,
  );
}

const haveSameTarget = (one: ActionRule, other: ActionRule) => one.target['id'] === other.target['id'];

/** Partners that no action matches, of a rule that none of them matches. */
function unmatchedPartners(rule: ActionRule, actions: readonly Action[], lists: Lists): Action[] {
  const others = actions.filter(({ id }) => id !== rule.id);
  const partners = partnersOf(rule, others, lists);
  if (partners.some((partner) => haveSameTarget(partner, rule))) return [];
  return partners.filter(
    (partner) => !partnersOf(partner, others, lists).some((one) => haveSameTarget(one, partner)),
  );
}

/** Actions that would still follow the old target, once an action is saved with a new one. */
export function leftBehind(
  before: ActionRule,
  now: ActionRule,
  actions: readonly Action[],
  lists: Lists,
): Action[] {
  if (haveSameTarget(before, now)) return [];
  return unmatchedPartners(now, actions, lists).filter((partner) => haveSameTarget(partner, before));
}

/** What customers are added to and removed from, by names, where that should be one and the same. */
export function mismatchOf(
  rule: ActionRule,
  actions: readonly Action[],
  lists: Lists,
): { added: string; removed: string } | null {
  const [partner] = unmatchedPartners(rule, actions, lists);
  if (partner === undefined) return null;
  const [adding, removing] = rule.operation === 'add' ? [rule, partner] : [partner, rule];
  return { added: targetOf(adding), removed: targetOf(removing) };
}
