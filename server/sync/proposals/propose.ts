import type { ToolTarget } from '#contract/actions.ts';
import type { ChoiceEvent } from '#contract/choices.ts';
import type { Language } from '#contract/fields.ts';
import type { List } from '#contract/lists.ts';
import { customPath, RESERVED_PATHS, suggestedPath } from '#contract/preference-pages.ts';
import type { ProposalDoubt, ProposedAction, ProposedList, Proposals } from '#contract/proposals.ts';
import type { Connector, Resource } from '#server/connectors/connector.ts';
import type { ActionRow } from '#server/delivery/actions/actions.ts';
import { cleanLine, languageSuffix, plainName, roughName } from './names.ts';

/*
 * What to create so that a tool and a site send each other their changes. Pure: what the tool has and what the site has
 * go in, and the same again gives the same keys. Only what is certain is ticked, shows customers nothing and deletes nothing.
 */

const TYPES = { lists: 'list', suppression_groups: 'suppression_group', tags: 'tag' } as const;

/** Kinds that can stand for a list of the site. */
export type TopicKind = keyof typeof TYPES;

export interface ToolResource extends Resource {
  kind: TopicKind;
}

/** The tool, as it is now. */
export interface ToolSide {
  connector: Connector;
  integrationId: string;
  resources: readonly ToolResource[];
}

/** The site, as it is now. */
export interface SiteSide {
  name: string;
  lists: readonly Pick<List, 'id' | 'name' | 'description' | 'translations'>[];
  actions: readonly Pick<
    ActionRow,
    'integration_id' | 'type' | 'event' | 'list_ids' | 'operation' | 'target'
  >[];
  /** With how many lists each shows. */
  pages: readonly { id: string; name: string; lists: number }[];
}

type SiteList = SiteSide['lists'][number];
type SiteAction = SiteSide['actions'][number];

/** Beyond this, nobody wants each of them on a page. */
const MOST_NEW_LISTS = 25;

/** Of an action's target and of a list, as their fields take it. */
const MOST = { target: 200, name: 100, description: 255 };

/** The kinds whose names are compared: tags only where the tool has nothing that is meant for it. */
export function topicKinds(connector: Connector): TopicKind[] {
  const can = (kind: TopicKind) => connector.actions[TYPES[kind]].can;
  const meant = (['suppression_groups', 'lists'] as const).filter(can);
  return meant.length > 0 ? meant : (['tags'] as const).filter(can);
}

interface Member extends ToolResource {
  /** What people know it by. */
  title: string;
  description: string;
  language: Language | null;
}

/** What is one list to people: a resource, a list and a group of the same name, or a list in several languages. */
interface Topic {
  name: string;
  members: Member[];
  /** Others of the same kind have the same name. */
  isOneOfSeveral: boolean;
}

/** What an action would do about a resource, beside its event. */
interface Move {
  event: Extract<ChoiceEvent, 'subscribed' | 'unsubscribed'>;
  operation: string;
}

/** How the tool follows who is in a list: in both directions where it can. */
function movesOf(connector: Connector, kind: TopicKind): Move[] {
  const capability = connector.actions[TYPES[kind]];
  if (!capability.can) return [];
  const [forward, back] = capability.operations;
  // To be in a suppression group is to be out of what it stands for.
  const [subscribing, unsubscribing] = kind === 'suppression_groups' ? [back, forward] : [forward, back];
  const moves: [Move['event'], string | undefined][] = [
    ['subscribed', subscribing],
    ['unsubscribed', unsubscribing],
  ];
  return moves.flatMap(([event, operation]) => (operation === undefined ? [] : [{ event, operation }]));
}

function cleaned(resources: readonly ToolResource[]): Member[] {
  return resources.flatMap((resource) => {
    const { id, name, title = name, description = '' } = resource;
    const member = {
      ...resource,
      name: cleanLine(name, MOST.target),
      title: cleanLine(title, MOST.name),
      description: cleanLine(description, MOST.description),
      language: null,
    };
    return member.title === '' || member.name === '' || id === '' || id.length > MOST.target ? [] : [member];
  });
}

function groupedBy<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
}

/** Does an action do with the resource what we would propose? */
function follows(
  { connector, integrationId }: ToolSide,
  resource: ToolResource,
  action: SiteAction,
): Move | null {
  const isAbout =
    action.integration_id === integrationId &&
    action.type === TYPES[resource.kind] &&
    action.target['id'] === resource.id;
  if (!isAbout) return null;
  const capability = connector.actions[TYPES[resource.kind]];
  const operation = action.operation ?? (capability.can ? capability.operations[0] : null);
  return (
    movesOf(connector, resource.kind).find(
      (move) => move.event === action.event && move.operation === operation,
    ) ?? null
  );
}

/** The lists that actions already link to one of the resources. */
function linkedLists(tool: ToolSide, site: SiteSide, resources: readonly ToolResource[]): SiteList[] {
  const ids = new Set(
    site.actions.flatMap((action) =>
      resources.some((resource) => follows(tool, resource, action) !== null) ? action.list_ids : [],
    ),
  );
  return site.lists.filter(({ id }) => ids.has(id));
}

const placeOf = ({ kind, within = '' }: ToolResource) => `${kind} ${within}`;

/**
 * Lists that are one list in several languages: at least two whose names end with different languages and are the same
 * before, where nothing says that they are lists of their own.
 */
function inLanguages(tool: ToolSide, site: SiteSide, members: readonly Member[]): Member[][] {
  const suffixed = members.flatMap((member) => {
    const found = languageSuffix(member.title);
    return found === null
      ? []
      : [{ ...member, title: found.base, language: found.language, whole: member.title }];
  });
  const groups = groupedBy(suffixed, (member) => `${placeOf(member)} ${plainName(member.title)}`);
  const isCertain = (group: typeof suffixed) => {
    const [first] = group;
    const taken = new Set(group.map(({ whole }) => plainName(whole)));
    return (
      first !== undefined &&
      group.length > 1 &&
      new Set(group.map(({ language }) => language)).size === group.length &&
      linkedLists(tool, site, group).length <= 1 &&
      !site.lists.some(({ name }) => taken.has(plainName(name))) &&
      !members.some(
        (one) => placeOf(one) === placeOf(first) && plainName(one.title) === plainName(first.title),
      )
    );
  };
  return [...groups.values()]
    .filter(isCertain)
    .map((group) => group.map(({ whole: _, ...member }) => member));
}

function topicsOf(tool: ToolSide, site: SiteSide): Topic[] {
  const members = cleaned(tool.resources);
  const merged = inLanguages(tool, site, members);
  const isMerged = new Set(merged.flat().map(({ kind, id }) => `${kind} ${id}`));
  const units = [
    ...merged,
    ...members.filter(({ kind, id }) => !isMerged.has(`${kind} ${id}`)).map((member) => [member]),
  ];
  const nameOf = (unit: readonly Member[]) => unit[0]?.title ?? '';
  return [...groupedBy(units, (unit) => plainName(nameOf(unit))).values()].flatMap((same): Topic[] => {
    const kinds = new Set(same.map(([first]) => first?.kind));
    if (kinds.size === same.length) {
      return [{ name: nameOf(same[0] ?? []), members: same.flat(), isOneOfSeveral: false }];
    }
    return same.map((unit) => ({ name: nameOf(unit), members: unit, isOneOfSeveral: true }));
  });
}

const namesOf = ({ name, translations }: SiteList) => [name, ...translations.map((one) => one.name)];

interface Match {
  topic: Topic;
  /** null: none of the site's. */
  list: SiteList | null;
  /** By actions: nothing has to be guessed. */
  isLinked: boolean;
  doubt: ProposalDoubt | null;
  /** Tells apart several matches of one topic. */
  suffix: string;
}

/** The site's list that each topic stands for; the owner decides where that isn't certain. */
function matchesOf(tool: ToolSide, site: SiteSide, topics: readonly Topic[]): Match[] {
  const certain = topics.map((topic) => {
    const linked = linkedLists(tool, site, topic.members);
    const same = site.lists.filter((list) =>
      namesOf(list).some((name) => plainName(name) === plainName(topic.name)),
    );
    return { topic, linked, same };
  });
  const taken = new Set(certain.flatMap(({ linked, same }) => (linked.length > 0 ? linked : same)));
  return certain.flatMap(({ topic, linked, same }): Match[] => {
    const several = topic.isOneOfSeveral ? ('several' as const) : null;
    const none = { topic, list: null, isLinked: false, doubt: several, suffix: '' };
    if (linked.length > 0) {
      const of = (list: SiteList) => ({ ...none, list, isLinked: true, doubt: null });
      return linked.map((list) => ({ ...of(list), suffix: linked.length > 1 ? `~${list.id}` : '' }));
    }
    const [first] = same;
    if (first !== undefined) return [{ ...none, list: first, ...(same.length > 1 && { doubt: 'several' }) }];
    const alike = site.lists.find(
      (list) => !taken.has(list) && namesOf(list).some((name) => roughName(name) === roughName(topic.name)),
    );
    return [alike === undefined ? none : { ...none, list: alike, doubt: 'similar' }];
  });
}

const keyOf = ({ topic: { members }, suffix }: Match) =>
  `list:${members[0]?.kind}:${members[0]?.id}${suffix}`;

/** Which list an owner chose instead of the match, by the key of the proposal; null: a new one. */
type Links = ReadonlyMap<string, string | null>;

/** What actions link stays as it is. A list that was deleted meanwhile is no match, and nor is another in its place. */
function linkedAsChosen(site: SiteSide, matches: readonly Match[], links: Links): Match[] {
  return matches.flatMap((match) => {
    const listId = links.get(keyOf(match));
    if (listId === undefined || match.isLinked) return [match];
    const list = listId === null ? null : site.lists.find(({ id }) => id === listId);
    return list === undefined ? [] : [{ ...match, list, doubt: null }];
  });
}

/** Why a list is not simply ticked, beside its name. */
function doubtOf(tool: ToolSide, { topic, list, isLinked, doubt }: Match): ProposalDoubt | null {
  if (isLinked || doubt !== null) return doubt;
  const ids = new Set(topic.members.map(({ id }) => id));
  if (tool.resources.some(({ within }) => within !== undefined && ids.has(within))) return 'holds_others';
  if (list !== null) return null;
  const kinds = new Set(topic.members.map(({ kind }) => kind));
  if (kinds.has('tags')) return 'tag';
  const hasGroups = tool.resources.some(({ kind }) => kind === 'suppression_groups');
  return hasGroups && !kinds.has('suppression_groups') ? 'segment' : null;
}

function line(
  key: string,
  { exists = false, doubt = null }: { exists?: boolean; doubt?: ProposalDoubt | null },
) {
  return { key, exists, ticked: !exists && doubt === null, doubt: exists ? null : doubt };
}

function actionsFor(
  tool: ToolSide,
  site: SiteSide,
  match: Match,
  doubt: ProposalDoubt | null,
): ProposedAction[] {
  const { topic, list, isLinked, suffix } = match;
  // A resource that stands for several lists, as an audience may, is no mirror of one: what is there is all there is.
  const isShared = isLinked && suffix !== '';
  const isInLanguages = topic.members.some(({ language }) => language !== null);
  return topic.members.flatMap((member) => {
    const found = site.actions.flatMap((action) => {
      const move = follows(tool, member, action);
      const isOfList = action.list_ids.length === 0 || (list !== null && action.list_ids.includes(list.id));
      return move !== null && isOfList ? [move.event] : [];
    });
    return movesOf(tool.connector, member.kind).flatMap(({ event, operation }): ProposedAction[] => {
      const exists = found.includes(event);
      if (isShared && !exists) return [];
      const own = found.length > 0 ? 'one_way' : isInLanguages && event === 'subscribed' ? 'languages' : null;
      return [
        {
          ...line(`${event}:${member.kind}:${member.id}${suffix}`, { exists, doubt: own ?? doubt }),
          type: TYPES[member.kind],
          event,
          operation,
          target: { id: member.id, name: member.name },
        },
      ];
    });
  });
}

/** What a new list says: in the page's language first, where the tool has it in several. */
function wordsOf({ members, name }: Topic, language: Language) {
  const first = members.find((one) => one.language === language) ?? members[0];
  const isInLanguages = members.some((one) => one.language !== null);
  const described = first?.description === '' ? members.find((one) => one.description !== '') : first;
  return {
    name: first?.title ?? name,
    description: (isInLanguages ? first : described)?.description ?? '',
    translations: members.flatMap((one) =>
      one.language === null
        ? []
        : [{ language: one.language, name: one.title, description: one.description }],
    ),
  };
}

function reports({ connector }: ToolSide, { kind, within }: Member): boolean {
  const kinds: readonly ToolTarget[] = connector.reportsLeaving ?? [];
  return kinds.includes(kind) && within === undefined;
}

function proposedList(tool: ToolSide, site: SiteSide, language: Language, match: Match): ProposedList {
  const { topic, list } = match;
  const doubt = doubtOf(tool, match);
  return {
    ...line(keyOf(match), { exists: list !== null, doubt }),
    doubt,
    id: list?.id ?? null,
    ...(list === null
      ? wordsOf(topic, language)
      : { name: list.name, description: list.description, translations: list.translations }),
    tool_name: topic.name,
    resources: topic.members.map((member) => ({
      kind: member.kind,
      id: member.id,
      name: member.name,
      language: member.language,
      reports_unsubscribes: reports(tool, member),
    })),
    actions: actionsFor(tool, site, match, doubt),
  };
}

function unlessTooMany(lists: ProposedList[]): ProposedList[] {
  if (lists.filter((list) => list.ticked).length <= MOST_NEW_LISTS) return lists;
  const unticked = <T extends { ticked: boolean; doubt: ProposalDoubt | null }>(one: T): T =>
    one.ticked ? { ...one, ticked: false, doubt: 'many' } : one;
  return lists.map((list) =>
    list.ticked ? { ...unticked(list), actions: list.actions.map((action) => unticked(action)) } : list,
  );
}

const ABOUT_NO_LIST = [
  { type: 'global_unsubscribe', event: 'global_unsubscribed', way: 0 },
  { type: 'global_unsubscribe', event: 'global_resubscribed', way: 1 },
  { type: 'switch_email', event: 'email_changed', way: 0 },
] as const;

function actionsAboutNoList({ connector, integrationId }: ToolSide, site: SiteSide): ProposedAction[] {
  return ABOUT_NO_LIST.flatMap(({ type, event, way }) => {
    const capability = connector.actions[type];
    const operation = capability.can ? capability.operations[way] : undefined;
    if (operation === undefined) return [];
    const exists = site.actions.some(
      (action) =>
        action.integration_id === integrationId &&
        action.type === type &&
        action.event === event &&
        (action.operation === operation || (action.operation === null && way === 0)),
    );
    const doubt = capability.can && capability.deletes ? 'deletes' : null;
    return [{ ...line(`${event}:${type}`, { exists, doubt }), type, event, operation, target: null }];
  });
}

function proposedPath(name: string): string {
  const path = suggestedPath(name);
  const isFree = customPath.safeParse(path).success && !(RESERVED_PATHS as readonly string[]).includes(path);
  return isFree ? path : 'preferences';
}

/** Where customers would look for a new list: of several pages, those without lists have another purpose. */
function extendablePages({ pages }: SiteSide): Proposals['pages'] {
  const shown = pages.length === 1 ? pages : pages.filter(({ lists }) => lists > 0);
  return shown.map(({ id, name }) => ({ key: `page:${id}`, id, name }));
}

/** Whether an action sends the list's changes to the tool, wherever there. */
function isSent({ integrationId }: ToolSide, { actions }: SiteSide, { id }: SiteList): boolean {
  return actions.some(
    ({ integration_id, event, list_ids }) =>
      integration_id === integrationId &&
      (event === 'subscribed' || event === 'unsubscribed') &&
      (list_ids.length === 0 || list_ids.includes(id)),
  );
}

/** What to create; what is there already is among it, and says so. */
export function propose(
  tool: ToolSide,
  site: SiteSide,
  language: Language,
  links: Links = new Map(),
): Proposals {
  const matches = linkedAsChosen(site, matchesOf(tool, site, topicsOf(tool, site)), links);
  const lists = unlessTooMany(matches.map((match) => proposedList(tool, site, language, match)));
  const translated = [...site.lists, ...lists].flatMap(({ translations }) => translations);
  const languages = [...new Set(translated.map((one) => one.language))].filter((one) => one !== language);
  const hasLists = site.lists.length > 0 || lists.length > 0;
  return {
    resources: tool.resources.length,
    lists,
    site_lists: site.lists.map((list) => ({
      id: list.id,
      name: list.name,
      linked: isSent(tool, site, list),
    })),
    page: hasLists
      ? {
          ...line('page', { exists: site.pages.length > 0, doubt: 'shown' }),
          name: cleanLine(site.name, MOST.name),
          custom_path: proposedPath(site.name),
          language,
        }
      : null,
    languages:
      languages.length > 0 && site.pages.length === 0
        ? { ...line('languages', { doubt: 'shown' }), languages }
        : null,
    pages: extendablePages(site),
    actions: actionsAboutNoList(tool, site),
  };
}
