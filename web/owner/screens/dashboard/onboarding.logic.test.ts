import { expect, it } from 'vitest';
import { onboarding, stepsLeft } from './onboarding.logic.ts';

it('the first steps are ticked from real data, with a pointer at the first open one', () => {
  const facts = { lists: 2, pages: 0, integrations: 0, actions: 1, has_own_choice: false, is_live: false };
  const tasks = onboarding(facts, true);
  expect(tasks.filter((one) => one.isDone).map((one) => one.task)).toEqual(['list', 'action']);
  expect(tasks.find((one) => one.isNext)?.task).toBe('page');
});

it('the first steps have no pointer when all are done', () => {
  const facts = { lists: 1, pages: 1, integrations: 1, actions: 1, has_own_choice: true, is_live: true };
  expect(onboarding(facts, true).some((one) => one.isNext)).toBe(false);
});

it('the first steps skip the tool for those who may not connect one', () => {
  const facts = { lists: 1, pages: 1, integrations: 0, actions: 0, has_own_choice: false, is_live: false };
  const next = (canConnect: boolean) => onboarding(facts, canConnect).find((one) => one.isNext)?.task;
  expect(next(true)).toBe('tool');
  expect(next(false)).toBe('action');
});

it('the first steps leave the last one to the owner who began, not to those who come when customers use the site', () => {
  const ready = { lists: 1, pages: 1, integrations: 1, actions: 1, has_own_choice: false };
  expect(stepsLeft({ ...ready, is_live: false }, false)).toBe(1);
  expect(stepsLeft({ ...ready, is_live: true }, false)).toBe(0);
  expect(stepsLeft({ ...ready, is_live: true }, true)).toBe(1);
  expect(stepsLeft({ ...ready, has_own_choice: true, is_live: true }, true)).toBe(0);
  expect(stepsLeft({ ...ready, actions: 0, is_live: true }, false)).toBe(2);
});
