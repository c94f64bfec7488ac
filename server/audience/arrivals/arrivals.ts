import type { ChoiceEvent } from '#contract/choices.ts';

export { CHOSE_SOMETHING, IS_ARRIVAL, isUndone } from './arrivals.sql.ts';

/** false: the record says only that the customer came, for example by an import without lists. */
export function choseSomething({
  events,
  lists,
}: {
  events: readonly ChoiceEvent[];
  lists: readonly unknown[];
}): boolean {
  return lists.length > 0 || events.length !== 1 || events[0] !== 'customer_created';
}
