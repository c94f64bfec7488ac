import type { Onboarding } from '#contract/dashboard.ts';

export const TASKS = ['list', 'page', 'tool', 'action', 'open'] as const;
export type Task = (typeof TASKS)[number];

export type OnboardingFacts = Pick<
  Onboarding,
  'lists' | 'pages' | 'integrations' | 'actions' | 'has_own_choice' | 'is_live'
>;

/**
 * The checklist, derived from the site's state.
 * @param canConnect false: the next step is never to connect a tool, which takes an owner or admin
 */
export function onboarding(
  facts: OnboardingFacts,
  canConnect: boolean,
): { task: Task; isDone: boolean; isNext: boolean }[] {
  const done: Record<Task, boolean> = {
    list: facts.lists > 0,
    page: facts.pages > 0,
    tool: facts.integrations > 0,
    action: facts.actions > 0,
    open: facts.has_own_choice,
  };
  const next = TASKS.find((task) => !done[task] && (task !== 'tool' || canConnect));
  return TASKS.map((task) => ({ task, isDone: done[task], isNext: task === next }));
}

/**
 * How many steps are left. Who comes to a site that customers use already need not try it themselves.
 * @param isBegun the steps were seen with some left: then the last one takes the owner's own visit
 */
export function stepsLeft(facts: OnboardingFacts, isBegun: boolean): number {
  const open = onboarding(facts, true).filter(({ isDone }) => !isDone);
  return facts.is_live && !isBegun && open.every(({ task }) => task === 'open') ? 0 : open.length;
}
