import { describe, expect, it } from 'vitest';
import type { ProposalDoubt, ProposedAction, ProposedList, Proposals } from '#contract/proposals.ts';
import {
  countTicked,
  directionsOf,
  hasOpen,
  sortedLists,
  suggestedLists,
  suggestedTicks,
  tickAction,
  tickList,
  tickOfList,
  tickPage,
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
  description: '',
  translations: [],
  resources: [],
  actions,
});

const isNew = list('new', [action('new+'), action('new-')]);
const ours = list('ours', [action('ours+'), action('ours-', { exists: true })], { exists: true });
const doubtful = list('doubt', [action('doubt+', { doubt: 'similar' })], { doubt: 'similar' });
const inLanguages = list('lang', [action('lang+', { doubt: 'languages' }), action('lang-')]);
const oneWay = list('oneway', [action('in', { exists: true }), action('out', { doubt: 'one_way' })], {
  exists: true,
});
const done = list('done', [action('done+', { exists: true })], { exists: true });

const proposals: Proposals = {
  resources: 5,
  lists: [isNew, ours, doubtful, inLanguages, oneWay, done],
  page: { ...line('page', {}), name: 'Acme', custom_path: 'acme', language: 'en' },
  languages: { ...line('languages', {}), languages: ['de'] },
  actions: [action('all'), action('mail', { exists: true })],
};

const start = suggestedTicks(proposals);

it('what we suggest is ticked, and nothing in doubt or there already', () => {
  expect([...start].toSorted()).toEqual(
    ['all', 'lang', 'lang-', 'languages', 'new', 'new+', 'new-', 'ours+', 'page'].toSorted(),
  );
  expect(countTicked(proposals, start)).toEqual({ lists: 2, pages: 1, actions: 5 });
  expect(suggestedLists(proposals)).toBe(3);
});

it('lists are sorted by what has to be done about them', () => {
  const { certain, doubtful: asked, done: settled } = sortedLists(proposals);
  expect([certain, asked, settled].map((lists) => lists.map(({ key }) => key))).toEqual([
    ['new', 'ours', 'lang'],
    ['doubt', 'oneway'],
    ['done'],
  ]);
});

describe('ticks', () => {
  it('a list takes its actions along, and back', () => {
    const off = tickList(start, isNew, false);
    expect(tickOfList(off, isNew)).toBe('none');
    expect(['new', 'new+', 'new-'].some((key) => off.has(key))).toBe(false);
    expect(tickOfList(tickList(off, isNew, true), isNew)).toBe('all');
  });

  it('an action of a new list takes its list along, but leaves it behind', () => {
    const off = tickList(start, isNew, false);
    const on = tickAction(off, isNew, 'new+', true);
    expect(on.has('new')).toBe(true);
    expect(tickOfList(on, isNew)).toBe('some');
    expect(tickAction(on, isNew, 'new+', false).has('new')).toBe(true);
  });

  it('an uncertain action is ticked only on its own line', () => {
    expect(tickOfList(start, inLanguages)).toBe('all');
    const on = tickList(tickList(start, inLanguages, false), inLanguages, true);
    expect(on.has('lang+')).toBe(false);
    expect(tickAction(on, inLanguages, 'lang+', true).has('lang+')).toBe(true);
  });

  it('an uncertain list is ticked with all its actions', () => {
    expect(tickOfList(start, doubtful)).toBe('none');
    expect(tickOfList(tickList(start, doubtful, true), doubtful)).toBe('all');
  });

  it('a list with only uncertain actions left ticks them too', () => {
    expect(tickList(start, oneWay, true).has('out')).toBe(true);
  });

  it('the languages come and go with the page', () => {
    const off = tickPage(start, proposals, false);
    expect(off.has('languages')).toBe(false);
    expect(tickPage(off, proposals, true).has('languages')).toBe(true);
  });
});

it('nothing is open once all is there', () => {
  expect(hasOpen(proposals)).toBe(true);
  const page = {
    ...line('page', { exists: true }),
    name: 'Acme',
    custom_path: 'acme',
    language: 'en' as const,
  };
  expect(hasOpen({ ...proposals, lists: [done], page, languages: null, actions: [] })).toBe(false);
});

it('unsubscribes in the tool are promised only where it tells them of every list, and once it can', () => {
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
