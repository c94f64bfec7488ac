import type { Onboarding } from '#contract/dashboard.ts';

export const TASKS = ['list', 'page', 'tool', 'action', 'open'] as const;
export type Task = (typeof TASKS)[number];

export type OnboardingFacts = Pick<
  Onboarding,
  'lists' | 'pages' | 'integrations' | 'actions' | 'has_own_choice' | 'is_live'
>;

/** The checklist, derived from the site's state. */
export function onboarding(facts: OnboardingFacts): { task: Task; isDone: boolean; isNext: boolean }[] {
  const done: Record<Task, boolean> = {
    list: facts.lists > 0,
    page: facts.pages > 0,
    tool: facts.integrations > 0,
    action: facts.actions > 0,
    open: facts.has_own_choice,
  };
  const next = TASKS.find((task) => !done[task]);
  return TASKS.map((task) => ({ task, isDone: done[task], isNext: task === next }));
}

/** How many steps are left; none once customers use a site that has all else, even if the owner never tried it. */
export function stepsLeft(facts: OnboardingFacts): number {
  const open = onboarding(facts).filter(({ isDone }) => !isDone);
  return facts.is_live && open.every(({ task }) => task === 'open') ? 0 : open.length;
}
