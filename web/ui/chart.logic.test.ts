import { expect, it } from 'vitest';
import { axisTicks, labelledPoints } from './chart.logic.ts';

it('an axis has round numbers that exceed the highest value', () => {
  expect(axisTicks(7)).toEqual([0, 2, 4, 6, 8]);
  expect(axisTicks(943)).toEqual([0, 500, 1000]);
  expect(axisTicks(1200)).toEqual([0, 500, 1000, 1500]);
});

it('an axis of nothing, or of very little, has whole numbers', () => {
  expect(axisTicks(0)).toEqual([0, 1]);
  expect(axisTicks(2)).toEqual([0, 1, 2]);
});

it('an axis goes below 0 where a value does', () => {
  expect(axisTicks(30, 12)).toEqual([-20, 0, 20, 40]);
  expect(axisTicks(0, 3)).toEqual([-3, -2, -1, 0, 1]);
});

it('labels are as close as there is room, with one at the last point', () => {
  expect(labelledPoints(7, 700, 60)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(labelledPoints(7, 200, 60)).toEqual([0, 3, 6]);
  expect(labelledPoints(90, 300, 60).at(-1)).toBe(89);
  expect(labelledPoints(3, 10, 60)).toEqual([2]);
});
