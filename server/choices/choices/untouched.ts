import { choicesFrom, type LaterChoice } from '#server/audience/evidence/evidence.ts';
import type { ChoosableList, CustomerState, WantedList } from '#server/audience/evidence/transitions.ts';
import type { SiteDb } from '#server/platform/database.ts';
import type { ChoiceChange, LockedCustomer } from './choices.ts';

/** What a page had shown when a choice was made on it. */
export interface PageSeen {
  /** Sequence of the customer's last choice that the page has shown. */
  sequence: number;
  /** Choices that were made on the same visit. */
  visitId: Buffer;
  /** It is a form without a script: it may show those choices, or what it was rendered with, as after going back. */
  isForm: boolean;
  /** It has shown a list with double opt-in as on before that was confirmed. */
  showsWaiting: boolean;
  /** Switches are sent as they stand; a button says what it does; a page may also follow a link by itself. */
  by: 'switches' | 'button' | 'itself';
}

/**
 * A page sends every list as it shows it. What was decided about a list since the page was shown stands, unless somebody
 * moved its switch: an untouched one neither raises nor lowers it.
 */
export async function withoutUntouched(
  site: SiteDb,
  { customer, before }: LockedCustomer,
  lists: readonly ChoosableList[],
  change: ChoiceChange,
  seen: PageSeen | undefined,
): Promise<ChoiceChange> {
  if (seen === undefined || hasSeenAll(customer, seen) || !mayBeUntouched(change, seen)) return change;
  const history = await historySince(site, customer.id, seen);
  return dropUntouched(before.subscriptions, lists, change, seen, history);
}

/** All choices since were made on the page itself. */
function hasSeenAll(
  { sequence, visit_id: id, visit_from: from }: LockedCustomer['customer'],
  seen: PageSeen,
): boolean {
  if (sequence === seen.sequence) return true;
  if (seen.isForm || id === null || from === null) return false;
  return id.equals(seen.visitId) && from <= seen.sequence + 1;
}

/** Before a customer's first choice nothing was chosen. */
const NOTHING_CHOSEN: LaterChoice = {
  sequence: 0,
  lists: [],
  global_unsubscribe: false,
  paused_until: null,
  visit_id: null,
};

/** The choice that the page has shown, and all after it. */
export async function historySince(
  site: SiteDb,
  customerId: string,
  { sequence }: Pick<PageSeen, 'sequence'>,
): Promise<LaterChoice[]> {
  const choices = await choicesFrom(site, customerId, sequence);
  return sequence === 0 ? [NOTHING_CHOSEN, ...choices] : choices;
}

function mayBeUntouched(change: ChoiceChange, { by }: PageSeen): boolean {
  if (by === 'button') return false;
  if (!('lists' in change) && !('globalUnsubscribe' in change)) return false;
  if (change.globalUnsubscribe === true) return false;
  return change.globalUnsubscribe === undefined || by === 'itself';
}

/** @param history of `historySince` */
export function dropUntouched(
  subscriptions: Subscriptions,
  lists: readonly ChoosableList[],
  change: ChoiceChange,
  seen: PageSeen,
  history: readonly LaterChoice[],
): ChoiceChange {
  if (!('lists' in change) && !('globalUnsubscribe' in change)) return change;
  const { lists: wanted, globalUnsubscribe, ...rest } = change;
  // A form may show either, so that what it lowers counts in both cases, and what it raises only if it does so in both.
  const visits = seen.isForm ? [null, seen.visitId] : [seen.visitId];
  const isStanding = (one: WantedList) => {
    const list = lists.find(({ id }) => id === one.list_id);
    if (list === undefined) return true;
    const counts = visits.map((visitId) =>
      isMoved(list, one, seen, standingOf(list, subscriptions, { ...seen, visitId }, history)),
    );
    return one.subscribed ? counts.every(Boolean) : counts.some(Boolean);
  };
  const isReturnDecided = globalUnsubscribe === false && isDecidedAboutEverything(seen, history);
  return {
    ...rest,
    ...(wanted && { lists: wanted.filter(isStanding) }),
    ...(globalUnsubscribe !== undefined && !isReturnDecided && { globalUnsubscribe }),
  };
}

/** Whether a list counts as it is sent. */
function isMoved(
  list: ChoosableList,
  { subscribed }: WantedList,
  { by, showsWaiting }: PageSeen,
  { shown, isDecided }: Standing,
): boolean {
  if (!isDecided) return true;
  if (by === 'itself') return !subscribed;
  // It may have been shown as on while it waited, so nothing says that its switch was moved.
  const mayHaveWaited = showsWaiting && list.double_opt_in;
  return subscribed !== shown && !(subscribed && mayHaveWaited);
}

/** As they are now. */
type Subscriptions = CustomerState['subscriptions'];

interface Standing {
  /** As the page shows it. */
  shown: boolean;
  /** Somebody has decided about it since, and not on this page. */
  isDecided: boolean;
}

/** What is shown, and which choices it shows beside it. */
type Shown = Pick<PageSeen, 'sequence'> & { visitId: Buffer | null };

export function standingOf(
  list: ChoosableList,
  subscriptions: Subscriptions,
  seen: Shown,
  history: readonly LaterChoice[],
): Standing {
  const [first, ...since] = history;
  // What the page has shown is not known, so nothing on it counts as switched on.
  if (first?.sequence !== seen.sequence) return { shown: true, isDecided: true };
  let standing = { shown: shownAt(first, since, list, subscriptions), isDecided: false };
  let previous = first;
  for (const choice of since) {
    const entry = entryOf(choice, list.id);
    if (isOfVisit(choice, seen)) {
      if (entry !== undefined)
        standing = { shown: shownAfter(previous, choice, entry, standing.shown), isDecided: false };
    } else if (entry !== undefined || changesEverything(previous, choice)) {
      standing = { ...standing, isDecided: true };
    }
    previous = choice;
  }
  return standing;
}

const entryOf = ({ lists }: LaterChoice, listId: string) => lists.find((one) => one.list_id === listId);

const isOfVisit = ({ visit_id: id }: LaterChoice, { visitId }: Shown) =>
  id !== null && visitId !== null && id.equals(visitId);

const isGoneForGood = ({ global_unsubscribe: isStopped, paused_until: until }: LaterChoice) =>
  isStopped && until === null;

function changesEverything(one: LaterChoice, next: LaterChoice): boolean {
  return (
    one.global_unsubscribe !== next.global_unsubscribe ||
    one.paused_until?.getTime() !== next.paused_until?.getTime()
  );
}

function isDecidedAboutEverything(seen: PageSeen, history: readonly LaterChoice[]): boolean {
  if (history[0]?.sequence !== seen.sequence) return true;
  return history.some((choice, index) => {
    const previous = history[index - 1];
    return previous !== undefined && !isOfVisit(choice, seen) && changesEverything(previous, choice);
  });
}

/** A page shows every list as off to people who left for good; during a pause, it shows what comes after it. */
function shownAt(
  first: LaterChoice,
  since: readonly LaterChoice[],
  list: ChoosableList,
  subscriptions: Subscriptions,
): boolean {
  if (isGoneForGood(first)) return false;
  const index = since.findIndex((choice) => entryOf(choice, list.id) !== undefined);
  const next = since[index];
  const entry = next && entryOf(next, list.id);
  if (next === undefined || entry === undefined) return subscriptions.get(list.id) ?? list.default_state;
  const previous = since[index - 1] ?? first;
  // Records say what was received. What comes back with everything was on underneath, or was off when everything stopped.
  const isBackWithAll = previous.global_unsubscribe && !next.global_unsubscribe && entry.subscribed;
  return isBackWithAll ? first.global_unsubscribe : (entry.previous ?? list.default_state);
}

/** As a page shows a list after a choice that was made on it. */
function shownAfter(
  previous: LaterChoice,
  choice: LaterChoice,
  entry: LaterChoice['lists'][number],
  shown: boolean,
): boolean {
  if (isGoneForGood(choice)) return false;
  // A pause that begins lies over what was chosen.
  const beginsPause = choice.global_unsubscribe && !previous.global_unsubscribe;
  return beginsPause ? shown : entry.subscribed;
}
