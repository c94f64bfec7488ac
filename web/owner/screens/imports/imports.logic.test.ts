import { expect, it } from 'vitest';
import { MAX_IMPORT_BYTES } from '#contract/imports.ts';
import {
  effectOf,
  everyoneOf,
  firstVerdict,
  linkedListsOf,
  losesUnsubscribes,
  mappingOf,
  meaningsOf,
  problemOfFile,
  shareOf,
  silentColumnsOf,
  stageOf,
  stepOf,
  stepsOf,
  suretyOf,
  withMeaning,
  withSilence,
} from './imports.logic.ts';

const NONE = {
  total: 0,
  read: 0,
  checked: 0,
  applied: 0,
  added: 0,
  changed: 0,
  revived: 0,
  unchanged: 0,
  blocked: 0,
  merged: 0,
  rejected: 0,
  subscribes: 0,
  unsubscribes: 0,
  no_choice: 0,
};
const columns = ['Mail', 'Weekly', 'Gone', 'Town'];

it('a mapping is restored as it was shown', () => {
  const mapping = { email: 'Mail', lists: [{ column: 'Weekly', list_id: 'list-1' }], all: 'Gone' };
  expect(mappingOf(meaningsOf(columns, mapping))).toEqual(mapping);
});

it('a mapping needs a column for the address', () => {
  expect(mappingOf(meaningsOf(columns, null))).toBeNull();
  expect(mappingOf(meaningsOf(columns, { lists: [] }))).toBeNull();
});

it('a meaning belongs to one column at a time; ignoring columns is no meaning', () => {
  const first = meaningsOf(columns, { email: 'Mail', lists: [] });
  const moved = withMeaning(first, 'Town', 'email');
  expect([...moved.values()]).toEqual(['ignore', 'ignore', 'ignore', 'email']);
  expect([...withMeaning(moved, 'Town', 'ignore').values()]).toEqual(Array(4).fill('ignore'));
});

it('progress is known where there is a total', () => {
  const counts = { ...NONE, total: 10, checked: 5, applied: 2, merged: 1, rejected: 1 };
  expect(shareOf({ status: 'checking', counts })).toBe(0.5);
  expect(shareOf({ status: 'applying', counts })).toBe(0.4);
  expect(shareOf({ status: 'reading', counts: NONE })).toBeNull();
});

it('an import that ended early stays at its step', () => {
  expect(stepOf({ status: 'cancelled', source: 'csv', counts: NONE })).toBe('columns');
  expect(stepOf({ status: 'cancelled', source: 'tool', counts: NONE })).toBe('choose');
  expect(stepOf({ status: 'failed', source: 'csv', counts: { ...NONE, checked: 1 } })).toBe('check');
  expect(stepOf({ status: 'cancelled', source: 'csv', counts: { ...NONE, checked: 1, applied: 1 } })).toBe(
    'apply',
  );
  expect(stepsOf('tool')).not.toContain('columns');
});

it('the first thing shown is what went wrong', () => {
  expect(firstVerdict({ ...NONE, added: 5, rejected: 1 })).toBe('rejected');
  expect(firstVerdict({ ...NONE, added: 5 })).toBe('added');
  expect(firstVerdict(NONE)).toBe('added');
});

it('an invalid file is rejected before it is sent', () => {
  expect(problemOfFile({ name: 'people.CSV', size: 10 })).toBeNull();
  expect(problemOfFile({ name: 'people.xlsx', size: 10 })).toBe('type');
  expect(problemOfFile({ name: 'people.csv', size: 0 })).toBe('empty');
  expect(problemOfFile({ name: 'people.csv', size: MAX_IMPORT_BYTES + 1 })).toBe('too_large');
});

it('each value says what it will do, and a plain no does what was chosen for its column', () => {
  const effects = (meaning: string, isSilent: boolean) =>
    ['yes', 'NEIN', '0', 'Unsubscribed', 'perhaps', ''].map((cell) => effectOf(cell, meaning, isSilent));
  expect(effects('list-1', false)).toEqual([
    'subscribed',
    'unsubscribed',
    'unsubscribed',
    'unsubscribed',
    'unreadable',
    'unchanged',
  ]);
  expect(effects('list-1', true)).toEqual([
    'subscribed',
    'unchanged',
    'unchanged',
    'unsubscribed',
    'unreadable',
    'unchanged',
  ]);
  expect(effects('all', false)).toEqual([
    'unsubscribed_all',
    'unchanged',
    'unchanged',
    'unsubscribed_all',
    'unreadable',
    'unchanged',
  ]);
  expect(effectOf('paused', 'all', false)).toBe('unchanged');
  expect(effectOf('no', 'email', false)).toBeNull();
});

it('several columns may say that emails bounced, and a reason counts as a yes there', () => {
  const mapping = {
    email: 'Mail',
    lists: [],
    suppressions: [
      { column: 'Weekly', state: 'bounced' as const },
      { column: 'Gone', state: 'complained' as const },
    ],
  };
  const meanings = meaningsOf(columns, mapping);
  expect(mappingOf(meanings)).toEqual(mapping);
  const more = mappingOf(withMeaning(meanings, 'Town', 'bounced'));
  expect(more?.suppressions?.map(({ column }) => column)).toEqual(['Weekly', 'Gone', 'Town']);
  const effects = (meaning: string) =>
    ['TRUE', 'Mailbox full', 'no', ''].map((cell) => effectOf(cell, meaning, false));
  expect(effects('bounced')).toEqual(['not_subscribed', 'not_subscribed', 'unchanged', 'unchanged']);
  expect(effects('complained')).toEqual(['unsubscribed_all', 'unsubscribed_all', 'unchanged', 'unchanged']);
});

it('the meaning of “no” is restored as it was chosen, for its column only', () => {
  const lists = [
    { column: 'Weekly', list_id: 'list-1', no: 'unchanged' as const },
    { column: 'Gone', list_id: 'list-2' },
  ];
  const mapping = { email: 'Mail', lists };
  const silent = silentColumnsOf(mapping);
  expect(mappingOf(meaningsOf(columns, mapping), silent)).toEqual(mapping);
  const back = withSilence(silent, 'Weekly', 'unsubscribed');
  expect(mappingOf(meaningsOf(columns, mapping), back)?.lists[0]).toEqual({
    column: 'Weekly',
    list_id: 'list-1',
  });
  expect(silentColumnsOf(null).size).toBe(0);
});

it('only a running import has changes to keep', () => {
  expect(stageOf('applying')).toBe('applying');
  for (const status of ['receiving', 'uploaded', 'reading', 'checking', 'checked'] as const) {
    expect(stageOf(status)).toBe('before');
  }
});

it('a list of the tool goes into the list that actions link it to, where that is certain', () => {
  const brevo = { integration: 'brevo', kind: 'lists' as const };
  const action = (event: 'subscribed' | 'unsubscribed', listIds: string[], id: string, more = {}) => ({
    type: 'list' as const,
    integration_id: 'brevo',
    trigger: { event, list_ids: listIds },
    operation: event === 'subscribed' ? 'add' : 'remove',
    target: { id, name: 'There' },
    ...more,
  });
  const actions = [
    action('subscribed', ['weekly'], '1'),
    action('unsubscribed', ['weekly'], '1'),
    action('unsubscribed', ['offers'], '2'),
    action('subscribed', ['weekly', 'offers'], '3'),
    action('subscribed', [], '4'),
    action('subscribed', ['gone'], '5'),
    action('unsubscribed', ['weekly'], '6', { operation: 'add' }),
    action('subscribed', ['weekly'], '7', { integration_id: 'drip' }),
    action('subscribed', ['weekly'], '8', { type: 'tag' }),
  ];
  const lists = [{ id: 'weekly' }, { id: 'offers' }];
  expect([...linkedListsOf(actions, brevo, lists)]).toEqual([
    ['1', 'weekly'],
    ['2', 'offers'],
  ]);
  expect([...linkedListsOf(actions, { ...brevo, kind: 'tags' }, lists)]).toEqual([['8', 'weekly']]);
});

it('what the file says about everybody is restored, unless a column is about its list', () => {
  const mapping = { email: 'Mail', lists: [], everyone: { state: 'subscribed', list_id: 'list-1' } } as const;
  const value = everyoneOf({ ...mapping, lists: [] });
  expect(value).toBe('subscribed:list-1');
  const meanings = meaningsOf(columns, { ...mapping, lists: [] });
  expect(mappingOf(meanings, new Set(), value)).toEqual(mapping);
  expect(mappingOf(meanings, new Set(), 'unsubscribed')?.everyone).toEqual({ state: 'unsubscribed' });
  expect(mappingOf(withMeaning(meanings, 'Weekly', 'list-1'), new Set(), value)).not.toHaveProperty(
    'everyone',
  );
});

it('a meaning is known from the tool, suggested, or chosen by a person', () => {
  const suggested_mapping = { email: 'Mail', lists: [], all: 'Gone', source: 'Town' };
  const recognized = {
    tool: 'Brevo',
    part: 'contacts',
    is_certain: true,
    columns: ['Mail', 'Gone'],
  } as const;
  const sureOf = suretyOf(
    { suggested_mapping, recognized: { ...recognized, columns: ['Mail', 'Gone'] } },
    columns,
  );
  expect(sureOf('Gone', 'all')).toBe('known');
  expect(sureOf('Town', 'source')).toBe('guessed');
  expect(sureOf('Gone', 'email')).toBeNull();
  expect(sureOf('Weekly', 'ignore')).toBeNull();
});

it('a bounce subscribes nobody, a complaint unsubscribes, and an invalid date is left out', () => {
  expect(effectOf('cleaned', 'list-1', false)).toBe('not_subscribed');
  expect(effectOf('complained', 'list-1', false)).toBe('unsubscribed_all');
  expect(effectOf('never subscribed', 'all', false)).toBe('not_subscribed');
  expect(effectOf('last spring', 'consent_at', false)).toBe('not_stored');
  expect(effectOf('last spring', 'confirmed_at', false)).toBe('not_stored');
  expect(effectOf('2024-01-02 10:23:10 UTC', 'consent_at', false)).toBeNull();
  expect(effectOf('03/04/2024', 'consent_at', false)).toBe('not_stored');
  expect(effectOf('03/04/2024', 'consent_at', false, 'day_first')).toBeNull();
});

it('a time of leaving unsubscribes from all, readable or not, and ignoring it shows a warning', () => {
  for (const cell of ['20.05.2024 11:00', '03/04/2024', 'in May'])
    expect(effectOf(cell, 'unsubscribed', false), cell).toBe('unsubscribed_all');
  for (const cell of ['', 'N/A', 'no', '0000-00-00 00:00:00'])
    expect(effectOf(cell, 'unsubscribed', false), cell).toBe('unchanged');
  const suggested = {
    email: 'Mail',
    lists: [],
    suppressions: [{ column: 'Gone', state: 'unsubscribed' as const }],
  };
  expect(losesUnsubscribes('Gone', ['2024-05-20'], suggested)).toBe(true);
  expect(losesUnsubscribes('Town', ['2024-05-20'], suggested)).toBe(false);
  expect(losesUnsubscribes('Town', ['unsubscribed'], suggested)).toBe(true);
});
