import type { Dashboard } from '#contract/dashboard.ts';

/** No customers and no events yet. */
export function isEmpty({
  customers,
  choices,
}: Pick<Dashboard, 'customers'> & { choices: Pick<Dashboard['choices'], 'now' | 'before'> }): boolean {
  return customers.total === 0 && choices.now === 0 && choices.before === 0;
}
