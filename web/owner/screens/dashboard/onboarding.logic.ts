export const TASKS = ['list', 'page', 'tool', 'action', 'open'] as const;
export type Task = (typeof TASKS)[number];

export interface OnboardingFacts {
  lists: number;
  pages: number;
  tools: number;
  actions: number;
  /** Whether a customer recently made a choice of their own. */
  hasChoice: boolean;
}

/** The checklist, derived from the site's state. */
export function onboarding(facts: OnboardingFacts): { task: Task; isDone: boolean; isNext: boolean }[] {
  const done: Record<Task, boolean> = {
    list: facts.lists > 0,
    page: facts.pages > 0,
    tool: facts.tools > 0,
    action: facts.actions > 0,
    open: facts.hasChoice,
  };
  const next = TASKS.find((task) => !done[task]);
  return TASKS.map((task) => ({ task, isDone: done[task], isNext: task === next }));
}
