import type { ChoiceEvent } from '#contract/choices.ts';
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

/** The customer, and what they would have to wish for the event to happen. */
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
  // Those who are where the event leads already are imagined on the other side; nobody leaves what was never chosen.
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

/** The lists that a choice would be about for an action to run: those it waits for, or any one. */
export function affectedLists(
  { list_ids: chosen }: { list_ids: readonly string[] },
  lists: readonly { id: string }[],
): string[] {
  const ids = lists.map((list) => list.id);
  return chosen.length === 0 ? ids.slice(0, 1) : ids.filter((id) => chosen.includes(id));
}

/** The choice that would make an event happen, by the code that makes real ones; nothing is written. */
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
    });
  const byChange = draft([]);
  // A new customer, another address, a site without lists: there the wish alone makes no such event.
  const made = byChange?.events.includes(event) === true ? byChange : draft([event]);
  if (made === null) throw new Error(`No choice can be imagined for ${event}`);
  return { choice: { ...rowOfDraft(siteId, made), reason: null }, after: made.after };
}
