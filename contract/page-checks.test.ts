import { expect, it } from 'vitest';
import {
  type CheckedPage,
  failedChecksOf,
  findingsOf,
  isPretickedConsent,
  newFindings,
} from './page-checks.ts';
import { pageAttrs } from './preference-pages.ts';

it.each([
  ['consent', true, true],
  ['consent', false, false],
  ['soft_opt_in', true, false],
  ['contract', true, false],
  ['legitimate_interest', true, false],
  [null, true, false],
  [undefined, true, false],
] as const)('a list on %s that is on by default (%s) is pre-ticked consent: %s', (basis, isOn, expected) => {
  const list = { subscription_default_state: isOn, ...(basis === undefined ? {} : { legal_basis: basis }) };
  expect(isPretickedConsent(list)).toBe(expected);
});

const list = { id: '1', name: 'Weekly', subscription_default_state: true, translations: [] };

const page = (changes: Partial<CheckedPage> = {}): CheckedPage => ({
  name: 'Acme',
  attrs: pageAttrs.parse({}),
  active_languages: [],
  lists: [],
  ...changes,
});

it('the defaults of the spec pass, and so do lists without a stated legal basis', () => {
  expect(findingsOf(page({ lists: [list] }))).toEqual([]);
});

it('lists that need consent are reported once each, with the pages that show them', () => {
  const lists = [
    { ...list, legal_basis: 'consent' },
    { ...list, id: '2', name: 'Offers', legal_basis: 'consent' },
    { ...list, id: '3', name: 'Receipts', legal_basis: 'contract' },
  ];
  const pages = [page({ lists }), page({ name: 'Shop', lists: lists.slice(0, 1) })];
  expect(failedChecksOf(pages.map((one) => ({ page: one, findings: findingsOf(one) })))).toEqual([
    {
      check: 'on_by_default',
      field: 'lists',
      lists: ['Weekly', 'Offers'],
      pages: ['Acme', 'Shop'],
      language: null,
      ratio: null,
    },
  ]);
});

it('only problems that a change adds are new', () => {
  const before = page({ lists: [list], active_languages: ['de'] });
  const after = page({ lists: [list], active_languages: ['de', 'fr'] });
  expect(newFindings(before, after).map(({ key }) => key)).toEqual(['untranslated:fr:1']);
  expect(newFindings(null, after)).toHaveLength(2);
  expect(newFindings(after, before)).toEqual([]);
});
