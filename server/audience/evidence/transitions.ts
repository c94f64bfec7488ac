import type { ChoiceEvent, Evidence } from '#contract/choices.ts';
import type { LegalBasis } from '#contract/lists.ts';

/** What a customer has: `subscriptions` holds only the lists ever chosen. */
export interface CustomerState {
  globalUnsubscribe: boolean;
  /** Only with `globalUnsubscribe`: the pause, which lies over the subscriptions and leaves them as they are. */
  pausedUntil: Date | null;
  /** Only with `globalUnsubscribe`: the reader of this inbox said that they are somebody else. Not the customer's choice. */
  wrongRecipientAt?: Date | null;
  subscriptions: ReadonlyMap<string, boolean>;
}

export interface WantedList {
  list_id: string;
  subscribed: boolean;
}

/** What a customer wants. Lists left out stay as they are, except when coming back (see `applyChange`). */
export type PreferenceChange =
  | { lists?: readonly WantedList[]; globalUnsubscribe?: boolean }
  /** Nothing for a while; then everything as it was. */
  | { pauseUntil: Date }
  /** Nothing any more, because the emails reach somebody else; what the customer chose stays underneath. */
  | { wrongRecipientAt: Date }
  /** An undo: exactly this state, lists left out untouched. */
  | {
      restore: Pick<CustomerState, 'globalUnsubscribe' | 'pausedUntil' | 'wrongRecipientAt'> & {
        lists: readonly RestoredList[];
      };
    };

/** A list as it was. */
export interface RestoredList {
  list_id: string;
  /** null: never chosen. */
  subscribed: boolean | null;
  /** When it was chosen; left out: now. */
  changedAt?: Date;
}

/** What somebody receives of a list: nothing after leaving everything, null when never chosen. */
function effective(state: CustomerState, listId: string): boolean | null {
  return state.globalUnsubscribe ? false : (state.subscriptions.get(listId) ?? null);
}

/** Has this person left everything for good? A pause is not for good. */
export function hasLeft(state: CustomerState): boolean {
  return state.globalUnsubscribe && state.pausedUntil === null;
}

/**
 * Computes the state after a wish. A customer who had left everything and now asks for single lists comes back for these
 * alone: all others become explicit opt-outs, also those that are on by default. A customer who is on a pause chooses what
 * comes after it; the pause stays.
 * @param lists every list of the site
 */
export function applyChange(
  before: CustomerState,
  change: PreferenceChange,
  lists: readonly Pick<ChoosableList, 'id' | 'default_state'>[],
): CustomerState {
  const subscriptions = new Map(before.subscriptions);
  if ('restore' in change) {
    const { lists, ...state } = change.restore;
    for (const { list_id: id, subscribed } of lists) {
      if (subscribed === null) subscriptions.delete(id);
      else subscriptions.set(id, subscribed);
    }
    return { ...state, subscriptions };
  }
  if ('wrongRecipientAt' in change) {
    const wrongRecipientAt = before.wrongRecipientAt ?? change.wrongRecipientAt;
    return { globalUnsubscribe: true, pausedUntil: null, wrongRecipientAt, subscriptions };
  }
  // Nothing is to be paused for somebody who left for good; a pause would bring them back.
  if ('pauseUntil' in change) {
    return hasLeft(before)
      ? before
      : { globalUnsubscribe: true, pausedUntil: change.pauseUntil, subscriptions };
  }
  const wanted = change.lists ?? [];
  const comesBackByList =
    hasLeft(before) && change.globalUnsubscribe === undefined && wanted.some((list) => list.subscribed);
  if (comesBackByList) {
    for (const [listId, subscribed] of subscriptions) if (subscribed) subscriptions.set(listId, false);
    for (const { id, default_state: isOn } of lists) {
      if (isOn && !subscriptions.has(id)) subscriptions.set(id, false);
    }
  }
  for (const list of wanted) subscriptions.set(list.list_id, list.subscribed);
  if (comesBackByList) return { globalUnsubscribe: false, pausedUntil: null, subscriptions };
  const staysAway = change.globalUnsubscribe === true && hasLeft(before);
  if (change.globalUnsubscribe === undefined || staysAway) return { ...before, subscriptions };
  return { globalUnsubscribe: change.globalUnsubscribe, pausedUntil: null, subscriptions };
}

/** A list as far as choices are concerned. */
export interface ChoosableList {
  id: string;
  name: string;
  /** What is shown to, and assumed of, people who never chose. */
  default_state: boolean;
  double_opt_in: boolean;
  legal_basis: LegalBasis | null;
}

export interface Transition {
  events: ChoiceEvent[];
  /** What changed, for the record: what is received, or what will be received after a pause. */
  lists: Evidence['lists'];
}

function eventsBetween(
  before: CustomerState,
  after: CustomerState,
  received: Evidence['lists'],
): ChoiceEvent[] {
  const events: ChoiceEvent[] = [];
  if (received.some((list) => list.subscribed)) events.push('subscribed');
  if (received.some((list) => !list.subscribed && !list.declined)) events.push('unsubscribed');
  const leaves = !before.globalUnsubscribe && after.globalUnsubscribe;
  // A pause that becomes a leave for good is told again, now without an end.
  const staysAway = before.pausedUntil !== null && hasLeft(after);
  if (leaves || staysAway) events.push('global_unsubscribed');
  if (before.globalUnsubscribe && !after.globalUnsubscribe) events.push('global_resubscribed');
  return events;
}

/** Omits the basis where none is stated, so that the record equals those from before bases existed. */
function nameForRecord({ id, name, legal_basis }: ChoosableList) {
  return { list_id: id, name, ...(legal_basis !== null && { legal_basis }) };
}

/**
 * What happened between two states, list by list: somebody who leaves everything leaves each list, so that the
 * rules about a single list hold then, too.
 * @param lists every list of the site
 * @param how.savesAll all lists were saved as they stood, not one that somebody asked to leave: what was never chosen
 *   and is off by default was then declined, and not left
 */
export function transitionBetween(
  before: CustomerState,
  after: CustomerState,
  lists: readonly ChoosableList[],
  { savesAll }: { savesAll: boolean } = { savesAll: false },
): Transition {
  const received: Evidence['lists'] = [];
  const later: Evidence['lists'] = [];
  // The tools left these people out for the pause, too; nothing is chosen by its end.
  const endsPause = before.pausedUntil !== null && !after.globalUnsubscribe;
  const canDecline = savesAll && !after.globalUnsubscribe;
  for (const list of lists) {
    const { id, default_state: isOnByDefault } = list;
    const subscribed = effective(after, id) ?? (endsPause && isOnByDefault ? true : null);
    const previous = effective(before, id);
    if (subscribed !== null && subscribed !== previous) {
      const declined = canDecline && previous === null && !subscribed && !isOnByDefault;
      received.push({ ...nameForRecord(list), subscribed, previous, ...(declined && { declined }) });
      continue;
    }
    const own = after.subscriptions.get(id) ?? null;
    const ownBefore = before.subscriptions.get(id) ?? null;
    if (own === null && ownBefore !== null) {
      const isReceived = subscribed === null && previous === true;
      const cleared = {
        ...nameForRecord(list),
        subscribed: false,
        previous: ownBefore,
        cleared: true as const,
      };
      (isReceived ? received : later).push(cleared);
      continue;
    }
    if (own !== null && own !== ownBefore)
      later.push({ ...nameForRecord(list), subscribed: own, previous: ownBefore });
  }
  return { events: eventsBetween(before, after, received), lists: [...received, ...later] };
}

/** By how many the subscribers of lists change: those who chose a list and receive it. */
export function subscriberChanges(
  before: CustomerState,
  after: CustomerState,
): { list_id: string; value: 1 | -1 }[] {
  const listIds = new Set([...before.subscriptions.keys(), ...after.subscriptions.keys()]);
  return [...listIds].flatMap((list_id) => {
    const was = effective(before, list_id) === true;
    const is = effective(after, list_id) === true;
    return was === is ? [] : [{ list_id, value: is ? (1 as const) : (-1 as const) }];
  });
}

/** What somebody has chosen of a list, under a pause too; null: nothing. */
const chosenOf = (state: CustomerState, listId: string) =>
  hasLeft(state) ? false : (state.subscriptions.get(listId) ?? null);

/** The lists of which somebody has chosen something else than before, if only by leaving everything. */
export function listsChosenOtherwise(
  before: CustomerState,
  after: CustomerState,
  listIds: ReadonlySet<string>,
): string[] {
  const known = new Set([...listIds, ...before.subscriptions.keys(), ...after.subscriptions.keys()]);
  return [...known].filter((id) => chosenOf(before, id) !== chosenOf(after, id));
}

/** A list that somebody is on now and was not, or the other way round. */
export interface Move {
  list_id: string;
  joined: boolean;
}

/**
 * Who joins and who leaves, for the figures. A pause is neither, nor is its end: it lies over what was chosen. Somebody
 * is on a list that is on by default until they say otherwise, but has joined only what they chose.
 */
export function movesBetween(
  before: CustomerState,
  after: CustomerState,
  lists: readonly ChoosableList[],
): Move[] {
  return lists.flatMap(({ id, default_state: isOnByDefault }): Move[] => {
    const was = chosenOf(before, id);
    const is = chosenOf(after, id);
    if (is === true) return was === true ? [] : [{ list_id: id, joined: true }];
    return is === false && (was ?? isOnByDefault) ? [{ list_id: id, joined: false }] : [];
  });
}
