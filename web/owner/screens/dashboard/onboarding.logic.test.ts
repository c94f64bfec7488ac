import { expect, it } from 'vitest';
import { onboarding, stepsLeft } from './onboarding.logic.ts';

it('ticks from real data and points at the first open task', () => {
  const tasks = onboarding({
    lists: 2,
    pages: 0,
    integrations: 0,
    actions: 1,
    has_own_choice: false,
    is_live: false,
  });
  expect(tasks.filter((one) => one.isDone).map((one) => one.task)).toEqual(['list', 'action']);
  expect(tasks.find((one) => one.isNext)?.task).toBe('page');
});

it('points nowhere when all is done', () => {
  const tasks = onboarding({
    lists: 1,
    pages: 1,
    integrations: 1,
    actions: 1,
    has_own_choice: true,
    is_live: true,
  });
  expect(tasks.some((one) => one.isNext)).toBe(false);
});

it('leaves the last step to the owner until customers use the site', () => {
  const ready = { lists: 1, pages: 1, integrations: 1, actions: 1, has_own_choice: false };
  expect(stepsLeft({ ...ready, is_live: false })).toBe(1);
  expect(stepsLeft({ ...ready, is_live: true })).toBe(0);
  expect(stepsLeft({ ...ready, has_own_choice: true, is_live: false })).toBe(0);
  expect(stepsLeft({ ...ready, actions: 0, is_live: true })).toBe(2);
});
