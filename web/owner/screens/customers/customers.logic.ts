import type { Evidence } from '#contract/choices.ts';
import type { Customer, CustomerState, ListedCustomer } from '#contract/customers.ts';

type Subscription = Pick<Customer, 'global_unsubscribe' | 'paused_until' | 'wrong_recipient_at'>;

/** What the customer chose, whether or not our emails reach them. */
export function subscriptionStateOf({
  global_unsubscribe,
  paused_until,
  wrong_recipient_at,
}: Subscription): Exclude<CustomerState, 'bounced'> {
  if (!global_unsubscribe) return 'active';
  if (wrong_recipient_at !== null) return 'wrong_recipient';
  return paused_until === null ? 'unsubscribed' : 'paused';
}

/** The state that the filter finds them by: a bounce counts only for those who would receive something. */
export function stateOf(customer: Subscription, isBounced: boolean): CustomerState {
  const state = subscriptionStateOf(customer);
  return state === 'active' && isBounced ? 'bounced' : state;
}

/** A customer without lists: they chose none, or nothing yet. Whether a list was left or declined is told by its evidence. */
export function withoutLists(
  customer: Pick<ListedCustomer, 'global_unsubscribe' | 'declines'>,
): 'none' | 'no_choice' {
  return customer.global_unsubscribe || customer.declines.length > 0 ? 'none' : 'no_choice';
}

/** A choice's effects; the one that names it comes first. */
export interface Headline {
  kind:
    | 'erased'
    | 'wrong_recipient'
    | 'paused'
    | 'left'
    | 'back'
    | 'moved'
    | 'created'
    | 'joined'
    | 'unsubscribed'
    | 'declined'
    | 'already_off'
    | 'deleted_list'
    | 'nothing';
  joined: string[];
  unsubscribed: string[];
  /** Lists saved as off that were never on, which is not leaving. */
  declined: string[];
}

type Told = Pick<Evidence, 'events' | 'lists' | 'paused_until' | 'source'> & {
  shown: Pick<Evidence['shown'], 'already_off'>;
};

export function headlineOf(choice: Told): Headline {
  const named = (subscribed: boolean, isDeclined = false) =>
    choice.lists
      .filter((list) => list.subscribed === subscribed && (list.declined ?? false) === isDeclined)
      .map(({ name }) => name);
  const leavesAll = choice.events.includes('global_unsubscribed') || choice.source === 'wrong_recipient';
  return {
    kind: kindOf(choice),
    joined: named(true),
    // Unsubscribing from everything includes each list, so they are not repeated.
    unsubscribed: leavesAll ? [] : named(false),
    declined: named(false, true),
  };
}

function kindOf({ events, lists, paused_until, source, shown }: Told): Headline['kind'] {
  if (source === 'erasure') return 'erased';
  if (source === 'wrong_recipient') return 'wrong_recipient';
  if (events.includes('global_unsubscribed')) return paused_until === null ? 'left' : 'paused';
  if (events.includes('global_resubscribed')) return 'back';
  if (events.includes('email_changed')) return 'moved';
  if (events.includes('customer_created')) return 'created';
  if (lists.some((list) => list.subscribed)) return 'joined';
  if (lists.some((list) => !list.declined)) return 'unsubscribed';
  if (lists.length > 0) return 'declined';
  return askedOf(shown.already_off);
}

/** Of somebody who asked to stop what was off: they had left it, or the list had gone. */
function askedOf(asked: Evidence['shown']['already_off']): Headline['kind'] {
  if (asked === undefined) return 'nothing';
  const isOnlyGone = !asked.everything && asked.lists.every((list) => list.deleted);
  return isOnlyGone ? 'deleted_list' : 'already_off';
}
