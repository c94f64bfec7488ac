import { expect, it } from 'vitest';
import { onboarding } from './onboarding.logic.ts';

it('ticks from real data and points at the first open task', () => {
  const tasks = onboarding({ lists: 2, pages: 0, tools: 0, actions: 1, hasChoice: false });
  expect(tasks.filter((one) => one.isDone).map((one) => one.task)).toEqual(['list', 'action']);
  expect(tasks.find((one) => one.isNext)?.task).toBe('page');
});

it('points nowhere when all is done', () => {
  const tasks = onboarding({ lists: 1, pages: 1, tools: 1, actions: 1, hasChoice: true });
  expect(tasks.some((one) => one.isNext)).toBe(false);
});
