import type { Action } from '#contract/actions.ts';
import { type ActionForm, isEndpoint, kindBodyOf, targetBodyOf, triggerOf } from './actions.logic.ts';

/** What makes a rule act on something in a tool. */
export type Rule = Pick<
  Action,
  'enabled' | 'integration_id' | 'type' | 'operation' | 'trigger' | 'target'
> & { id: string | null };

/** The rule that the form would save. */
export function ruleOf(form: ActionForm, id: string | null): Rule {
  const { type, operation = null, integration_id = null } = kindBodyOf(form);
  return {
    id,
    enabled: form.enabled,
    // A list has to be chosen first: none is not any list.
    integration_id: form.list_ids.length === 0 || isEndpoint(form.receiver) ? null : integration_id,
    type,
    operation,
    trigger: triggerOf(form),
    target: targetBodyOf(form),
  };
}

/** Those that follow who is in a list, by a list, tag or suppression group of the tool. */
export function followsLists({ enabled, integration_id, trigger, target }: Rule): boolean {
  const isAboutList = trigger.event === 'subscribed' || trigger.event === 'unsubscribed';
  return enabled && integration_id !== null && isAboutList && target['id'] !== undefined;
}

/** Whether it takes something from customers who unsubscribe. */
export function isLowering({ type, operation, trigger }: Rule): boolean {
  const lowering = type === 'suppression_group' ? 'add' : 'remove';
  return trigger.event === 'unsubscribed' && operation === lowering;
}

/** null: it is only for deleted lists, and never runs. */
export function listsOf({ trigger }: Rule, lists: readonly { id: string }[]): string | null {
  if (trigger.list_ids.length === 0) return 'any';
  const ids = lists.flatMap(({ id }) => (trigger.list_ids.includes(id) ? [id] : []));
  return ids.length === 0 ? null : ids.join(' ');
}

/**
 * Actions that follow other lists into the same place in the tool: who unsubscribes from one of these lists is taken from
 * there, although still subscribed to another.
 */
export function overlapping(
  rule: Rule,
  actions: readonly Action[],
  lists: readonly { id: string }[],
): Action[] {
  const own = listsOf(rule, lists);
  if (!followsLists(rule) || own === null) return [];
  return actions.filter((other) => {
    const isInSamePlace =
      other.id !== rule.id &&
      other.integration_id === rule.integration_id &&
      other.type === rule.type &&
      other.target['id'] === rule.target['id'] &&
      followsLists(other) &&
      (isLowering(rule) || isLowering(other));
    // What its lists are takes longest: each row asks this of all actions.
    const others = isInSamePlace ? listsOf(other, lists) : null;
    return others !== null && others !== own;
  });
}
