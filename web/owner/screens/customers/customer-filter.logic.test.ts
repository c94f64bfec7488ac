import { expect, it } from 'vitest';
import {
  type CustomerSearch,
  filterOf,
  isFiltered,
  isNarrowed,
  isSameFilter,
  parseCustomerSearch,
  startOfDay,
  stoppedEarly,
} from './customer-filter.logic.ts';

it('a URL yields filters that the API accepts, and nothing else', () => {
  const search = {
    search: 'vera',
    state: 'paused',
    receives_list_id: 'a-list',
    added_since: '2026-11-01T00:00:00Z',
  };
  expect(parseCustomerSearch({ ...search, tool: 'x', changed_since: 'yesterday' })).toEqual(search);
  expect(parseCustomerSearch({ state: 'gone', search: 7 })).toEqual({});
});

it('filters are told from the search, and compared', () => {
  expect(filterOf({ search: 'vera', state: 'active', left_list_id: undefined })).toEqual({ state: 'active' });
  expect(isFiltered({ search: 'vera' })).toBe(false);
  const searches: CustomerSearch[] = [{ search: 'vera' }, { state: 'active' }, { search: undefined }, {}];
  expect(searches.map(isNarrowed)).toEqual([true, true, false, false]);
  expect(isSameFilter({ state: 'active' }, { state: 'active', left_list_id: undefined })).toBe(true);
  expect(isSameFilter({ state: 'active' }, { state: 'active', left_list_id: 'a-list' })).toBe(false);
});

it('a day is accepted once its year is typed', () => {
  expect(startOfDay('2026-11-01')).toBe('2026-11-01T00:00:00Z');
  for (const typed of ['', '0002-11-01', '0202-11-01']) expect(startOfDay(typed)).toBeUndefined();
});

it('a search that stopped before it had filled a page is recognized', () => {
  expect(stoppedEarly([{ results: [1, 2], next: 'more' }], 2)).toBe(false);
  expect(stoppedEarly([{ results: [1], next: null }], 2)).toBe(false);
  expect(
    stoppedEarly(
      [
        { results: [1, 2], next: 'more' },
        { results: [], next: 'more' },
      ],
      2,
    ),
  ).toBe(true);
});
