import { expect, test } from 'vitest';
import { LIST_DEFAULTS } from '#contract/lists.ts';
import type { PublicPage } from '#contract/preference-pages.ts';
import {
  chooseLanguage,
  choicesToConfirm,
  isShownOn,
  listOfLink,
  listText,
  maskEmail,
  NEUTRAL_PAGE,
  NO_QUERY,
  subtitleOf,
  type ViewCustomer,
} from './view.ts';

type List = PublicPage['lists'][number];

const list = (parts: Partial<List> = {}): List => ({
  ...LIST_DEFAULTS,
  id: 'weekly',
  name: 'Weekly news',
  description: 'Every Friday',
  show_order: 0,
  ...parts,
});

const nora = (parts: Partial<ViewCustomer> = {}): ViewCustomer => ({
  id: 'sealed',
  level: 'open',
  email: 'nora@example.com',
  global_unsubscribe: false,
  paused_until: null,
  lists: [],
  pending: [],
  ...parts,
});

test.each([
  ['no languages block', undefined, ['de'], 'en'],
  ['no language of the browser', { default: 'de', active_languages: [] }, [], 'de'],
  ['an active language', { default: 'en', active_languages: ['de', 'fr'] }, ['fr', 'de'], 'fr'],
  ['a regional variant', { default: 'en', active_languages: ['de'] }, ['de-AT'], 'de'],
  ['only others', { default: 'it', active_languages: ['de'] }, ['ja', 'ko'], 'it'],
  ['the default before an active one', { default: 'en', active_languages: ['de'] }, ['en-GB', 'de'], 'en'],
] as const)('the language with %s (spec 72)', (_, languages, browser, expected) => {
  const block = languages && { ...languages, active_languages: [...languages.active_languages] };
  expect(chooseLanguage(block, browser)).toBe(expected);
});

test('a list is shown in the page’s language if exactly one translation matches (spec 73)', () => {
  const german = { language: 'de' as const, name: 'Wochenpost', description: '' };
  expect(listText(list({ translations: [german] }), 'de').name).toBe('Wochenpost');
  expect(listText(list({ translations: [german, german] }), 'de').name).toBe('Weekly news');
  expect(listText(list({ translations: [german] }), 'fr').name).toBe('Weekly news');
});

test('a switch shows the customer’s choice, else the default, and is off for someone who left everything (spec 74)', () => {
  const byDefault = list({ subscription_default_state: true });
  const chosen = (subscribed: boolean | null) => nora({ lists: [{ id: 'weekly', subscribed }] });
  expect(isShownOn(byDefault, nora())).toBe(true);
  expect(isShownOn(byDefault, chosen(null))).toBe(true);
  expect(isShownOn(byDefault, chosen(false))).toBe(false);
  expect(isShownOn(list(), chosen(true))).toBe(true);
  expect(isShownOn(list(), { ...chosen(true), global_unsubscribe: true })).toBe(false);
});

test('a link that names no list of the page means everything (spec 37)', () => {
  const page = { ...NEUTRAL_PAGE, lists: [list()] };
  expect(listOfLink(page, { ...NO_QUERY, listId: 'weekly' })?.id).toBe('weekly');
  expect(listOfLink(page, { ...NO_QUERY, listId: 'other' })).toBeNull();
});

test('an email change never turns a default into a subscription (spec 45)', () => {
  const lists = [
    list({ id: 'on', subscription_default_state: true }),
    list({ id: 'off' }),
    list({ id: 'own' }),
  ];
  const customer = nora({ lists: [{ id: 'own', subscribed: true }] });
  expect(choicesToConfirm(lists, customer, {})).toEqual([
    { notification_list_id: 'off', subscribed: false },
    { notification_list_id: 'own', subscribed: true },
  ]);
  expect(choicesToConfirm(lists, customer, { on: true })).toHaveLength(3);
});

test('an email change keeps what there was before everything was left', () => {
  const customer = nora({ global_unsubscribe: true, lists: [{ id: 'weekly', subscribed: true }] });
  expect(choicesToConfirm([list()], customer, {})).toEqual([]);
});

test('the subtitle names the page by the owner’s text or the translated one (spec 22)', () => {
  const page = { ...NEUTRAL_PAGE, name: 'Acme' };
  expect(subtitleOf(page, 'for ')).toBe('for Acme');
  expect(subtitleOf({ ...page, attrs: { ...page.attrs, tag_pre_name: 'at' } }, 'for ')).toBe('at Acme');
});

test('a masked address keeps its first letter and its domain', () => {
  expect(maskEmail('nora@example.com')).toBe('n•••@example.com');
});
