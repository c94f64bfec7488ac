import { expect, it } from 'vitest';
import { onboarding, stepsLeft } from './onboarding.logic.ts';

it('ticks from real data and points at the first open task', () => {
  const facts = { lists: 2, pages: 0, integrations: 0, actions: 1, has_own_choice: false, is_live: false };
  const tasks = onboarding(facts, true);
  expect(tasks.filter((one) => one.isDone).map((one) => one.task)).toEqual(['list', 'action']);
  expect(tasks.find((one) => one.isNext)?.task).toBe('page');
});

it('points nowhere when all is done', () => {
  const facts = { lists: 1, pages: 1, integrations: 1, actions: 1, has_own_choice: true, is_live: true };
  expect(onboarding(facts, true).some((one) => one.isNext)).toBe(false);
});

it('points past a tool for those who may not connect one', () => {
  const facts = { lists: 1, pages: 1, integrations: 0, actions: 0, has_own_choice: false, is_live: false };
  const next = (canConnect: boolean) => onboarding(facts, canConnect).find((one) => one.isNext)?.task;
  expect(next(true)).toBe('tool');
  expect(next(false)).toBe('action');
});

it('leaves the last step to the owner who began, and not to who comes when customers use the site', () => {
  const ready = { lists: 1, pages: 1, integrations: 1, actions: 1, has_own_choice: false };
  expect(stepsLeft({ ...ready, is_live: false }, false)).toBe(1);
  expect(stepsLeft({ ...ready, is_live: true }, false)).toBe(0);
  expect(stepsLeft({ ...ready, is_live: true }, true)).toBe(1);
  expect(stepsLeft({ ...ready, has_own_choice: true, is_live: true }, true)).toBe(0);
  expect(stepsLeft({ ...ready, actions: 0, is_live: true }, false)).toBe(2);
});
