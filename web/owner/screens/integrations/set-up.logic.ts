import type { ProposedAction, ProposedList, Proposals } from '#contract/proposals.ts';

/** Keys of what is ticked. */
export type Ticks = ReadonlySet<string>;

/** Lists that the owner chose instead of the proposed ones, by the keys of those; null: a new one. */
export type Links = ReadonlyMap<string, string | null>;

/** What the owner calls new lists, by the keys of the proposed ones. */
export type Names = ReadonlyMap<string, string>;

export interface Choices {
  ticks: Ticks;
  links: Links;
  names: Names;
}

/** Doubts about a single action, which ticking its list does not settle. */
function isOwnDoubt({ doubt }: ProposedAction): boolean {
  return doubt === 'languages' || doubt === 'one_way';
}

/** What ticking a list ticks: itself, if it is new, and its actions but those in doubt. */
function keysOfList(list: ProposedList): string[] {
  const actions = list.actions.filter((action) => !action.exists && !isOwnDoubt(action));
  return [...(list.exists ? [] : [list.key]), ...actions.map(({ key }) => key)];
}

/** The proposal with the list that the owner chose. */
export function linkedAs(list: ProposedList, links: Links, siteLists: Proposals['site_lists']): ProposedList {
  const id = links.get(list.key);
  if (id === undefined || id === list.id) return list;
  const name = siteLists.find((one) => one.id === id)?.name ?? list.tool_name;
  return { ...list, id, name, exists: id !== null };
}

/** Proposals whose lists are those that the owner chose. */
export function linkedProposals(proposals: Proposals, links: Links): Proposals {
  return {
    ...proposals,
    lists: proposals.lists.map((list) => linkedAs(list, links, proposals.site_lists)),
  };
}

/**
 * What we suggest; never a page, and never to add lists to one, because customers see that right away.
 * @param leftOut keys of lists that the owner left out before
 */
export function suggestedTicks(
  { lists, page, languages, actions }: Proposals,
  leftOut: ReadonlySet<string>,
): Ticks {
  const wanted = lists.filter(({ key }) => !leftOut.has(key));
  const all = [...wanted.flatMap((list) => [list, ...list.actions]), page, languages, ...actions];
  return new Set(all.flatMap((one) => (one?.ticked ? [one.key] : [])));
}

/** Whether actions link it already, which a choice can't change. */
export function isLinked({ exists, actions }: ProposedList): boolean {
  return exists && actions.some((action) => action.exists);
}

const wordsOf = (name: string): string[] => name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
const isPartOf = (some: readonly string[], all: readonly string[]) =>
  some.every((word) => all.includes(word));

/** The list of the site whose name is part of the tool's list's, or the other way round: it may be the same list. */
export function similarName(
  { tool_name }: Pick<ProposedList, 'tool_name'>,
  siteLists: Proposals['site_lists'],
): string | null {
  const theirs = wordsOf(tool_name);
  if (theirs.length === 0) return null;
  const alike = siteLists.find(({ name, linked }) => {
    const ours = wordsOf(name);
    return !linked && ours.length > 0 && (isPartOf(ours, theirs) || isPartOf(theirs, ours));
  });
  return alike?.name ?? null;
}

/** Whether anything of it is ticked. */
export function isWanted(ticks: Ticks, list: ProposedList): boolean {
  return ticks.has(list.key) || list.actions.some(({ key }) => ticks.has(key));
}

export function openActions({ actions }: ProposedList): ProposedAction[] {
  return actions.filter(({ exists }) => !exists);
}

function withKeys(ticks: Ticks, keys: readonly string[], isOn: boolean): Ticks {
  const others = [...ticks].filter((key) => !keys.includes(key));
  return new Set(isOn ? [...others, ...keys] : others);
}

function tickList(ticks: Ticks, list: ProposedList): Ticks {
  const keys = keysOfList(list);
  // Only actions in doubt are open: to link the list means them.
  const open = openActions(list).map(({ key }) => key);
  return withKeys(ticks, keys.length === 0 ? open : keys, true);
}

/** Links a list of the tool to one of the site, to a new one (null), or to none (undefined). */
export function linkList(
  { ticks, links, names }: Choices,
  { key, actions }: ProposedList,
  listId: string | null | undefined,
  { lists, site_lists }: Proposals,
): Choices {
  const none = withKeys(ticks, [key, ...actions.map((action) => action.key)], false);
  const proposed = lists.find((list) => list.key === key);
  if (listId === undefined || proposed === undefined) return { ticks: none, links, names };
  const chosen = new Map(links).set(key, listId);
  return { ticks: tickList(none, linkedAs(proposed, chosen, site_lists)), links: chosen, names };
}

/** Without its list, an action would have nothing to wait for; without actions, a list is not linked. */
export function tickAction(ticks: Ticks, list: ProposedList, key: string, isOn: boolean): Ticks {
  if (isOn) return withKeys(ticks, list.exists ? [key] : [key, list.key], true);
  const left = withKeys(ticks, [key], false);
  const hasActions = list.actions.some((action) => action.exists || left.has(action.key));
  return hasActions ? left : withKeys(left, [list.key], false);
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

const isToCreate = (ticks: Ticks, { key, exists }: { key: string; exists: boolean }) =>
  !exists && ticks.has(key);

/** The lists that would be created, by what they would be called. */
export function newLists({ lists }: Proposals, { ticks, names }: Pick<Choices, 'ticks' | 'names'>): string[] {
  return lists.flatMap((list) => (isToCreate(ticks, list) ? [nameOf(list, names)] : []));
}

/** What a new list would be called: like the tool's, unless the owner says otherwise. */
function nameOf({ key, name }: ProposedList, names: Names): string {
  const own = names.get(key)?.trim() ?? '';
  return own === '' ? name : own;
}

/** The names that differ from those of the tool. */
export function changedNames(proposals: Proposals, { ticks, links, names }: Choices): Names {
  const { lists } = linkedProposals(proposals, links);
  const renamed = lists.filter((list) => isToCreate(ticks, list) && nameOf(list, names) !== list.name);
  return new Map(renamed.map((list) => [list.key, nameOf(list, names)]));
}

/** How much would be created, of each. */
export function countTicked(proposals: Proposals, ticks: Ticks) {
  const { lists, page, actions } = proposals;
  return {
    lists: lists.filter((list) => isToCreate(ticks, list)).length,
    pages: page !== null && isToCreate(ticks, page) ? 1 : 0,
    actions: [...lists.flatMap((list) => list.actions), ...actions].filter((one) => isToCreate(ticks, one))
      .length,
  };
}

/** What has to be created: without a new list, there is nothing to add to a page. */
export function ticksToCreate(proposals: Proposals, { ticks, links }: Choices): Ticks {
  if (countTicked(linkedProposals(proposals, links), ticks).lists > 0) return ticks;
  return withKeys(
    ticks,
    proposals.pages.map(({ key }) => key),
    false,
  );
}

/** What has to be said to the server: lists that are linked to others than the proposed ones. */
export function changedLinks({ lists }: Proposals, { ticks, links }: Choices) {
  return lists.flatMap((list) => {
    const id = links.get(list.key);
    const isChanged = id !== undefined && id !== list.id && isWanted(ticks, list);
    return isChanged ? [{ key: list.key, list_id: id }] : [];
  });
}

/** Lists of the site whose changes would still not be sent to the tool. */
export function unlinkedLists(
  proposals: Proposals,
  { ticks, links }: Pick<Choices, 'ticks' | 'links'>,
): string[] {
  const linked = linkedProposals(proposals, links).lists.filter((list) =>
    list.actions.some((action) => action.exists || ticks.has(action.key)),
  );
  const ids = new Set(linked.map(({ id }) => id));
  return proposals.site_lists.flatMap((list) => (list.linked || ids.has(list.id) ? [] : [list.name]));
}

/** Everything that is still to be created, whether we suggest it or not. */
export function hasOpen({ lists, page, actions }: Proposals): boolean {
  const all = [...lists.flatMap((list) => [list, ...list.actions]), ...(page ? [page] : []), ...actions];
  return all.some(({ exists }) => !exists);
}

const isSuggested = (list: ProposedList) => list.ticked || list.actions.some((action) => action.ticked);

/** The lists that we suggest something for, and the owner did not leave out. */
export function suggestedLists({ lists }: Proposals, leftOut: ReadonlySet<string>): number {
  return lists.filter((list) => isSuggested(list) && !leftOut.has(list.key)).length;
}

/** Keys of the suggested lists that the owner leaves out. */
export function leftOutLists({ lists }: Proposals, { ticks }: Choices): string[] {
  return lists.filter((list) => isSuggested(list) && !isWanted(ticks, list)).map(({ key }) => key);
}
