import type { ProposedAction, ProposedList, Proposals } from '#contract/proposals.ts';

/** Keys of what is ticked. */
export type Ticks = ReadonlySet<string>;

/** Doubts about an action alone, which ticking its list does not settle. */
function isOwnDoubt({ doubt }: ProposedAction): boolean {
  return doubt === 'languages' || doubt === 'one_way';
}

/** What ticking a list ticks: itself, if it is new, and its actions but those in doubt. */
function keysOfList(list: ProposedList): string[] {
  const actions = list.actions.filter((action) => !action.exists && !isOwnDoubt(action));
  return [...(list.exists ? [] : [list.key]), ...actions.map(({ key }) => key)];
}

/** What we suggest. */
export function suggestedTicks({ lists, page, languages, actions }: Proposals): Ticks {
  const all = [...lists.flatMap((list) => [list, ...list.actions]), page, languages, ...actions];
  return new Set(all.flatMap((one) => (one?.ticked ? [one.key] : [])));
}

type TickState = 'all' | 'some' | 'none';

/** Whether a list is ticked as a whole. */
export function tickOfList(ticks: Ticks, list: ProposedList): TickState {
  const keys = [...(list.exists ? [] : [list.key]), ...openActions(list).map(({ key }) => key)];
  const wanted = keysOfList(list);
  if (keys.every((key) => !ticks.has(key))) return 'none';
  return wanted.every((key) => ticks.has(key)) ? 'all' : 'some';
}

export function openActions({ actions }: ProposedList): ProposedAction[] {
  return actions.filter(({ exists }) => !exists);
}

function withKeys(ticks: Ticks, keys: readonly string[], isOn: boolean): Ticks {
  const others = [...ticks].filter((key) => !keys.includes(key));
  return new Set(isOn ? [...others, ...keys] : others);
}

/** Without its list, an action would have nothing to wait for: both come and go together. */
export function tickList(ticks: Ticks, list: ProposedList, isOn: boolean): Ticks {
  const keys = isOn ? keysOfList(list) : [list.key, ...list.actions.map(({ key }) => key)];
  // Only actions in doubt are open: to tick the list means them.
  const open = openActions(list).map(({ key }) => key);
  return withKeys(ticks, isOn && keys.length === 0 ? open : keys, isOn);
}

export function tickAction(ticks: Ticks, list: ProposedList, key: string, isOn: boolean): Ticks {
  return withKeys(ticks, isOn && !list.exists ? [key, list.key] : [key], isOn);
}

/** The languages are those of the page. */
export function tickPage(ticks: Ticks, { page, languages }: Proposals, isOn: boolean): Ticks {
  const keys = [page, languages].flatMap((one) => (one ? [one.key] : []));
  return withKeys(ticks, keys, isOn);
}

export function tickOne(ticks: Ticks, key: string, isOn: boolean): Ticks {
  return withKeys(ticks, [key], isOn);
}

/** The lists by what has to be done about them. */
export function sortedLists({ lists }: Proposals): Record<'certain' | 'doubtful' | 'done', ProposedList[]> {
  const isDone = (list: ProposedList) => list.exists && openActions(list).length === 0;
  const isDoubtful = (list: ProposedList) =>
    list.doubt !== null || (list.exists && openActions(list).every((action) => action.doubt !== null));
  const open = lists.filter((list) => !isDone(list));
  return {
    certain: open.filter((list) => !isDoubtful(list)),
    doubtful: open.filter(isDoubtful),
    done: lists.filter(isDone),
  };
}

/** Whether the tool can say who unsubscribes from this list there. */
export function isReported({ resources }: ProposedList): boolean {
  return resources.some((one) => one.reports_unsubscribes);
}

/** What can be said of all these lists. Where it differs, each says so itself. */
export function directionsOf(
  lists: readonly ProposedList[],
  needsWebhook: boolean,
): 'both' | 'both_later' | 'one_way' {
  if (!lists.every(isReported)) return 'one_way';
  return needsWebhook ? 'both_later' : 'both';
}

/** How much would be created, of each. */
export function countTicked(proposals: Proposals, ticks: Ticks) {
  const { lists, page, actions } = proposals;
  const isTicked = ({ key, exists }: { key: string; exists: boolean }) => !exists && ticks.has(key);
  return {
    lists: lists.filter(isTicked).length,
    pages: page !== null && isTicked(page) ? 1 : 0,
    actions: [...lists.flatMap((list) => list.actions), ...actions].filter(isTicked).length,
  };
}

/** Everything that is still to be created, whether we suggest it or not. */
export function hasOpen({ lists, page, actions }: Proposals): boolean {
  const all = [...lists.flatMap((list) => [list, ...list.actions]), ...(page ? [page] : []), ...actions];
  return all.some(({ exists }) => !exists);
}

/** The lists that we suggest something for. */
export function suggestedLists({ lists }: Proposals): number {
  return lists.filter((list) => list.ticked || list.actions.some((action) => action.ticked)).length;
}
