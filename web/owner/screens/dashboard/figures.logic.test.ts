import { expect, it } from 'vitest';
import { comparisonOf, isEmpty, movesOf, pointsOf, total } from './figures.logic.ts';

const weekOf = (day: string) => `Week of ${day}`;

it('a day is named as it is in UTC, in the words of the language', () => {
  const periods = ['2026-11-21T00:00:00.000Z'];
  expect(pointsOf({ periods, step: 'day' }, 'en', weekOf)).toEqual([
    { key: periods[0], short: 'Nov 21', long: 'Saturday, November 21' },
  ]);
  expect(pointsOf({ periods, step: 'day' }, 'de', weekOf)[0]?.long).toBe('Samstag, 21. November');
});

it('a week is named by its Monday, with the year', () => {
  const [week] = pointsOf({ periods: ['2026-11-16T00:00:00.000Z'], step: 'week' }, 'en', weekOf);
  expect(week?.long).toBe('Week of November 16, 2026');
});

it('all lists together are the sum of each', () => {
  const lists = [
    { list_id: 'a', name: 'A', joins: [1, 2], leaves: [0, 1] },
    { list_id: 'b', name: 'B', joins: [3, 0], leaves: [1, 1] },
  ];
  expect(movesOf(lists, null, 2)).toEqual({ joins: [4, 2], leaves: [1, 2] });
  expect(movesOf(lists, 'b', 2)).toEqual({ joins: [3, 0], leaves: [1, 1] });
  expect(movesOf([], null, 2)).toEqual({ joins: [0, 0], leaves: [0, 0] });
  expect(total([4, 2])).toBe(6);
});

it('a comparison says how many more or fewer', () => {
  expect(comparisonOf({ now: 30, before: 18 })).toEqual({ kind: 'more', by: 12 });
  expect(comparisonOf({ now: 3, before: 18 })).toEqual({ kind: 'fewer', by: 15 });
  expect(comparisonOf({ now: 3, before: 3 })).toEqual({ kind: 'same', by: 0 });
});

it('a site where everybody was erased is not an empty one', () => {
  const none = { now: 0, before: 0, periods: [] };
  const nobody = { total: 0, created: { now: 0, before: 0 } };
  expect(isEmpty({ customers: nobody, choices: none })).toBe(true);
  expect(isEmpty({ customers: nobody, choices: { ...none, before: 2 } })).toBe(false);
});
