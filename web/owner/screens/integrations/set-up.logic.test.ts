import { describe, expect, it } from 'vitest';
import type { ProposalDoubt, ProposedAction, ProposedList, Proposals } from '#contract/proposals.ts';
import {
  changedLinks,
  changedNames,
  type Choices,
  countTicked,
  directionsOf,
  hasOpen,
  isLinked,
  isWanted,
  leftOutLists,
  linkedAs,
  linkList,
  newLists,
  similarName,
  sortedLists,
  suggestedLists,
  suggestedTicks,
  tickAction,
  tickOne,
  tickPage,
  ticksToCreate,
  unlinkedLists,
} from './set-up.logic.ts';

type Line = { exists?: boolean; doubt?: ProposalDoubt | null };

function line(key: string, { exists = false, doubt = null }: Line) {
  return { key, exists, doubt, ticked: !exists && doubt === null };
}

const action = (key: string, more: Line = {}): ProposedAction => ({
  ...line(key, more),
  type: 'list',
  event: 'subscribed',
  operation: 'add',
  target: { id: '1', name: 'There' },
});

const list = (key: string, actions: ProposedAction[], more: Line = {}): ProposedList => ({
  ...line(key, more),
  id: null,
  name: key,
  tool_name: 'There',
  description: '',
  translations: [],
  resources: [],
  actions,
});

const isNew = list('new', [action('new+'), action('new-')]);
const ours = list('ours', [action('ours+'), action('ours-', { exists: true })], { exists: true });
const doubtful = {
  ...list('doubt', [action('doubt+', { doubt: 'similar' })], { exists: true }),
  doubt: 'similar' as const,
  id: 'similar',
};
const inLanguages = list('lang', [action('lang+', { doubt: 'languages' }), action('lang-')]);
const oneWay = list('oneway', [action('in', { exists: true }), action('out', { doubt: 'one_way' })], {
  exists: true,
});
const done = list('done', [action('done+', { exists: true })], { exists: true });

const proposals: Proposals = {
  resources: 5,
  lists: [isNew, ours, doubtful, inLanguages, oneWay, done],
  site_lists: [
    { id: 'jobs', name: 'Jobs', linked: false },
    { id: 'similar', name: 'Similar', linked: false },
    { id: 'sent', name: 'Sent', linked: true },
  ],
  page: { ...line('page', { doubt: 'shown' }), name: 'Acme', custom_path: 'acme', language: 'en' },
  languages: { ...line('languages', { doubt: 'shown' }), languages: ['de'] },
  pages: [{ key: 'page:1', id: '1', name: 'Acme' }],
  actions: [action('all'), action('mail', { exists: true })],
};

const NONE: ReadonlySet<string> = new Set();
const start = suggestedTicks(proposals, NONE);
const suggested: Choices = { ticks: start, links: new Map(), names: new Map() };

const link = (one: ProposedList, listId: string | null | undefined, from = suggested) =>
  linkList(from, one, listId, proposals);

it('our suggestions are ticked, unless they are uncertain, seen by customers at once, or already exist', () => {
  expect([...start].toSorted()).toEqual(['all', 'lang', 'lang-', 'new', 'new+', 'new-', 'ours+'].toSorted());
  expect(countTicked(proposals, start)).toEqual({ lists: 2, pages: 0, actions: 5 });
  expect(suggestedLists(proposals, NONE)).toBe(3);
});

it('lists are sorted by what has to be done about them', () => {
  const { certain, doubtful: asked, done: settled } = sortedLists(proposals);
  expect([certain, asked, settled].map((lists) => lists.map(({ key }) => key))).toEqual([
    ['new', 'ours', 'lang'],
    ['doubt', 'oneway'],
    ['done'],
  ]);
});

describe('a list of the tool', () => {
  it('that is linked to no list loses all its ticks, and gets them back with a list', () => {
    const off = link(isNew, undefined);
    expect(isWanted(off.ticks, isNew)).toBe(false);
    expect(['new', 'new+', 'new-'].some((key) => off.ticks.has(key))).toBe(false);
    expect([...link(isNew, null, off).ticks].toSorted()).toEqual([...start].toSorted());
    expect(changedLinks(proposals, link(isNew, null, off))).toEqual([]);
  });

  it('that is linked to another list creates only its actions, and the server is told', () => {
    const on = link(isNew, 'jobs');
    expect(['new', 'new+', 'new-'].map((key) => on.ticks.has(key))).toEqual([false, true, true]);
    expect(linkedAs(isNew, on.links, proposals.site_lists)).toMatchObject({ id: 'jobs', name: 'Jobs' });
    expect(changedLinks(proposals, on)).toEqual([{ key: 'new', list_id: 'jobs' }]);
    expect(changedLinks(proposals, link(isNew, undefined, on))).toEqual([]);
  });

  it('that resembles a list can be a new one instead', () => {
    const on = link(doubtful, null);
    expect(['doubt', 'doubt+'].map((key) => on.ticks.has(key))).toEqual([true, true]);
    expect(changedLinks(proposals, on)).toEqual([{ key: 'doubt', list_id: null }]);
    expect(linkedAs(doubtful, on.links, proposals.site_lists)).toMatchObject({
      exists: false,
      name: 'There',
    });
  });

  it('has its uncertain actions ticked only on their own lines', () => {
    const on = link(inLanguages, null);
    expect(on.ticks.has('lang+')).toBe(false);
    expect(tickAction(on.ticks, inLanguages, 'lang+', true).has('lang+')).toBe(true);
  });

  it('with nothing certain has all of it ticked once it is linked', () => {
    const unsure = list('unsure', [action('unsure+', { doubt: 'languages' })], { exists: true });
    const { ticks } = linkList(suggested, unsure, 'jobs', { ...proposals, lists: [unsure] });
    expect(ticks.has('unsure+')).toBe(true);
  });

  it('that actions already link can’t be linked otherwise', () => {
    expect([oneWay, done, doubtful, isNew].map(isLinked)).toEqual([true, true, false, false]);
  });
});

it('lists of the site that nothing follows are named until something is linked to them', () => {
  expect(unlinkedLists(proposals, suggested)).toEqual(['Jobs', 'Similar']);
  const linked = link(doubtful, 'similar', link(isNew, 'jobs'));
  expect(unlinkedLists(proposals, linked)).toEqual([]);
  const ticks = tickAction(tickAction(linked.ticks, isNew, 'new+', false), isNew, 'new-', false);
  expect(unlinkedLists(proposals, { ...linked, ticks })).toEqual(['Jobs']);
});

describe('ticks', () => {
  it('on an action of a new list tick the list, too, and the last one unticks it', () => {
    const off = link(isNew, undefined).ticks;
    const on = tickAction(off, isNew, 'new+', true);
    expect([on.has('new'), on.has('new-')]).toEqual([true, false]);
    expect(isWanted(tickAction(on, isNew, 'new+', false), isNew)).toBe(false);
  });

  it('on languages come and go with the page', () => {
    const off = tickPage(start, proposals, false);
    expect(off.has('languages')).toBe(false);
    expect(tickPage(off, proposals, true).has('languages')).toBe(true);
  });
});

it('a list that was left out is not suggested again, unless it is linked after all', () => {
  const off = link(isNew, undefined);
  const leftOut = leftOutLists(proposals, off);
  expect(leftOut).toEqual(['new']);
  expect(suggestedLists(proposals, new Set(leftOut))).toBe(2);
  expect(suggestedTicks(proposals, new Set(leftOut))).toEqual(off.ticks);
  expect(leftOutLists(proposals, link(isNew, 'jobs', off))).toEqual([]);
});

it('a new list has the name that the owner gives, or the tool’s; only differences are sent', () => {
  const named = (name: string): Choices => ({ ...suggested, names: new Map([['new', name]]) });
  expect(newLists(proposals, named(' Weekly '))).toContain('Weekly');
  expect(changedNames(proposals, named(' Weekly '))).toEqual(new Map([['new', 'Weekly']]));
  for (const same of [' ', 'new']) {
    expect(newLists(proposals, named(same))).toContain('new');
    expect(changedNames(proposals, named(same))).toEqual(new Map());
  }
  expect(changedNames(proposals, { ...link(isNew, 'jobs'), names: named('Weekly').names })).toEqual(
    new Map(),
  );
});

it('pages that the owner chose get the new lists, and nothing where there are none', () => {
  const chosen = { ...suggested, ticks: tickOne(start, 'page:1', true) };
  expect(ticksToCreate(proposals, chosen)).toEqual(chosen.ticks);
  const toOurs = link(inLanguages, 'jobs', link(isNew, 'jobs', chosen));
  expect(toOurs.ticks.has('page:1')).toBe(true);
  expect(ticksToCreate(proposals, toOurs).has('page:1')).toBe(false);
});

it('nothing is left open once all is there', () => {
  expect(hasOpen(proposals)).toBe(true);
  const page = {
    ...line('page', { exists: true }),
    name: 'Acme',
    custom_path: 'acme',
    language: 'en' as const,
  };
  expect(hasOpen({ ...proposals, lists: [done], page, languages: null, actions: [] })).toBe(false);
});

it('unsubscribes in the tool are promised only where it reports them for every list, and once it can', () => {
  const of = (name: string, reports_unsubscribes: boolean): ProposedList => ({
    ...list(name, []),
    resources: [{ kind: 'lists', id: name, name, language: null, reports_unsubscribes }],
  });
  const [told, untold] = [of('told', true), of('untold', false)];
  expect(directionsOf([told], false)).toBe('both');
  expect(directionsOf([told], true)).toBe('both_later');
  expect(directionsOf([told, untold], false)).toBe('one_way');
  expect(directionsOf([untold], true)).toBe('one_way');
});

it.each([
  ['Acme newsletter', 'Newsletter'],
  ['News', 'Product news'],
  ['Newsletters', null],
  ['Linked news', null],
  ['!', null],
])(
  'a list “%s” in the tool, the name that is part of it, or the other way round, is %s',
  (tool_name, similar) => {
    const named = (name: string, linked = false) => ({ id: name, name, linked });
    const siteLists = [named('Linked', true), named('…'), named('Newsletter'), named('Product news')];
    expect(similarName({ tool_name }, siteLists)).toBe(similar);
  },
);
