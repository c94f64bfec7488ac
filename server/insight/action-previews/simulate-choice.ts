import type { ChoiceEvent } from '#contract/choices.ts';
import { NO_TEST_RULES } from '#server/accounts/sites/test-rules.ts';
import type { ReasonedChoiceRow } from '#server/audience/evidence/evidence.ts';
import type {
  ChoosableList,
  CustomerState,
  PreferenceChange,
} from '#server/audience/evidence/transitions.ts';
import type { ChoiceContext } from '#server/choices/choices/choices.ts';
import { draftChoice, type LockedCustomer, rowOfDraft } from '#server/choices/choices/draft.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';

/** A customer state, and the change of it that triggers the event. */
function synthesize(
  event: ChoiceEvent,
  current: CustomerState,
  listIds: readonly string[],
): { before: CustomerState; change: PreferenceChange } {
  if (event === 'global_unsubscribed' || event === 'global_resubscribed') {
    const globalUnsubscribe = event === 'global_unsubscribed';
    return {
      before: { ...current, globalUnsubscribe: !globalUnsubscribe, pausedUntil: null },
      change: { globalUnsubscribe },
    };
  }
  if (event === 'email_changed' || event === 'customer_created') return { before: current, change: {} };
  const subscribed = event === 'subscribed';
  // Flip customers who are already in the event's resulting state; one who never chose counts as off.
  const subscriptions = new Map(current.subscriptions);
  for (const id of listIds) {
    if ((subscriptions.get(id) ?? false) === subscribed) subscriptions.set(id, !subscribed);
  }
  return {
    before: {
      globalUnsubscribe: current.globalUnsubscribe && subscribed,
      pausedUntil: null,
      subscriptions,
    },
    change: { lists: listIds.map((list_id) => ({ list_id, subscribed })) },
  };
}

/** The lists of a choice that triggers an action: the action's lists, or any one. */
export function affectedLists(
  { list_ids: chosen }: { list_ids: readonly string[] },
  lists: readonly { id: string }[],
): string[] {
  const ids = lists.map((list) => list.id);
  return chosen.length === 0 ? ids.slice(0, 1) : ids.filter((id) => chosen.includes(id));
}

/** The choice that would trigger an event, made by the code for real choices; nothing is written. */
export function simulateChoice(
  services: Services,
  siteId: string,
  event: ChoiceEvent,
  who: {
    customer: LockedCustomer['customer'];
    state: CustomerState;
    lists: readonly ChoosableList[];
    listIds: readonly string[];
    context: ChoiceContext;
  },
): { choice: ReasonedChoiceRow; after: CustomerState } {
  const { customer, lists, context } = who;
  const { before, change } = synthesize(event, who.state, who.listIds);
  const at = services.clock.now();
  const draft = (firstEvents: readonly ChoiceEvent[]) =>
    draftChoice(services.keyring, siteId, lists, { customer, before }, change, {
      id: newId(),
      at,
      firstEvents,
      context,
      test: NO_TEST_RULES,
    });
  const byChange = draft([]);
  // For a new customer, another address or a site without lists, the change alone does not trigger the event.
  const made = byChange?.events.includes(event) === true ? byChange : draft([event]);
  if (made === null) throw new Error(`No choice can be simulated for ${event}`);
  return { choice: { ...rowOfDraft(siteId, made), reason: null }, after: made.after };
}
