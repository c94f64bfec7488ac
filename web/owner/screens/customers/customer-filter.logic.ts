import { CUSTOMER_STATES, type CustomerFilter } from '#contract/customers.ts';
import { TEST_FILTERS } from '#contract/fields.ts';
import { oneOf, parseTimestamp, textParams } from '../../routing/search-params.logic.ts';

/** The filters of the customers screen, in the order of their chips; one more is one more name, field and chip. */
export const FILTER_NAMES = [
  'receives_list_id',
  'left_list_id',
  'state',
  'undelivered_to',
  'added_since',
  'changed_since',
  'test',
] as const satisfies readonly (keyof CustomerFilter)[];

export type FilterName = (typeof FILTER_NAMES)[number];

/** What stands in the screen's URL. */
export type CustomerSearch = CustomerFilter & { search?: string | undefined };

export function parseCustomerSearch(given: Record<string, unknown>): CustomerSearch {
  return {
    ...textParams(given, ['search', 'receives_list_id', 'left_list_id', 'undelivered_to']),
    state: oneOf(given['state'], CUSTOMER_STATES),
    added_since: parseTimestamp(given['added_since']),
    changed_since: parseTimestamp(given['changed_since']),
    test: oneOf(given['test'], TEST_FILTERS),
  };
}

/** The filters that are on; a saved view may hold others, from a newer version. */
export function filterOf(search: CustomerSearch): CustomerFilter {
  const on = FILTER_NAMES.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]]));
  return Object.fromEntries(on) as CustomerFilter;
}

export function isFiltered(search: CustomerSearch): boolean {
  return Object.keys(filterOf(search)).length > 0;
}

/** Whether the screen shows some of the customers only. */
export function isNarrowed(search: CustomerSearch): boolean {
  return search.search !== undefined || isFiltered(search);
}

export function isSameFilter(one: CustomerFilter, other: CustomerFilter): boolean {
  return FILTER_NAMES.every((name) => one[name] === other[name]);
}

const FIRST_YEAR = 2000;

/** The start of a day that a date field holds, in UTC; undefined while it is being typed. */
export function startOfDay(date: string): string | undefined {
  const start = parseTimestamp(`${date}T00:00:00Z`);
  return start === undefined || Number(date.slice(0, 4)) < FIRST_YEAR ? undefined : start;
}

/** A page with fewer rows and one after it: the search goes on with older customers. */
export function stoppedEarly(
  pages: readonly { results: readonly unknown[]; next: string | null }[],
  pageSize: number,
): boolean {
  const last = pages.at(-1);
  return last !== undefined && last.next !== null && last.results.length < pageSize;
}
