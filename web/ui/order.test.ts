import { expect, test } from 'vitest';
import { dropAt, moveTo, orderWithin } from './order.ts';

test('a row moves one step up and down', () => {
  expect(moveTo(['a', 'b', 'c'], 2, 1)).toEqual(['a', 'c', 'b']);
  expect(moveTo(['a', 'b', 'c'], 0, 1)).toEqual(['b', 'a', 'c']);
});

test('the first row cannot go higher, the last not lower', () => {
  expect(moveTo(['a', 'b'], 0, -1)).toEqual(['a', 'b']);
  expect(moveTo(['a', 'b'], 1, 2)).toEqual(['a', 'b']);
});

test('rows can be dropped before and after a target, also several', () => {
  expect(dropAt(['a', 'b', 'c', 'd'], new Set(['d']), 'a', 'before')).toEqual(['d', 'a', 'b', 'c']);
  expect(dropAt(['a', 'b', 'c', 'd'], new Set(['a', 'c']), 'd', 'after')).toEqual(['b', 'd', 'a', 'c']);
  expect(dropAt(['a', 'b'], new Set(['a']), 'a', 'after')).toEqual(['a', 'b']);
});

test('a filtered selection of rows trades places among all', () => {
  expect(orderWithin(['a', 'b', 'c', 'd'], ['d', 'b'])).toEqual(['a', 'd', 'c', 'b']);
  expect(orderWithin(['a', 'b', 'c'], ['b', 'a'])).toEqual(['b', 'a', 'c']);
});
