import { useTranslation } from 'react-i18next';
import type { ProposedAction, Proposals } from '#contract/proposals.ts';
import { suggestedName, toolOperationOf } from '../actions/actions.logic.ts';
import type { Creation } from './set-up.api.ts';
import type { Names, Ticks } from './set-up.logic.ts';

/** What an action does in the tool, in the words of the actions' screen. */
export function useDeed(): (action: ProposedAction) => string {
  const { t } = useTranslation('actions');
  return (action) => {
    const toolOperation = toolOperationOf(action);
    return toolOperation === undefined ? t(`type.${action.type}`) : t(`deed.${toolOperation}`);
  };
}

/** What is ticked, its actions named in the owner's language, and new lists as the owner says. */
export function useActionNames(
  name: string,
): (proposals: Proposals, ticks: Ticks, listNames: Names) => Creation {
  const deedOf = useDeed();
  return ({ lists, actions }, ticks, listNames) => {
    const all = new Map([...lists.flatMap((list) => list.actions), ...actions].map((one) => [one.key, one]));
    return [...ticks].map((key) => {
      const action = all.get(key);
      const listName = listNames.get(key);
      if (action !== undefined) return { key, name: suggestedName(name, deedOf(action), action.target) };
      return listName === undefined ? { key } : { key, name: listName };
    });
  };
}
