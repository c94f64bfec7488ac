import { useTranslation } from 'react-i18next';
import type { Action } from '#contract/actions.ts';
import { useIntegrations } from '../../queries/integration-queries.ts';
import { useRetargetAction } from './actions.api.ts';
import { type ActionForm, suggestedName, toolOperationOf } from './actions.logic.ts';

/** Gives an action another target in its tool. A suggested name follows, as it does in the form. */
export function useRetarget() {
  const { t } = useTranslation('actions');
  const { data: integrations = [] } = useIntegrations();
  const { mutateAsync } = useRetargetAction();
  return (action: Action, old: ActionForm['target'], target: NonNullable<ActionForm['target']>) => {
    const tool = integrations.find(({ id }) => id === action.integration_id)?.name ?? '';
    const toolOperation = toolOperationOf(action);
    const nameFor = (one: ActionForm['target']) =>
      toolOperation && suggestedName(tool, t(`deed.${toolOperation}`), one);
    const name = action.name === nameFor(old) ? nameFor(target) : undefined;
    return mutateAsync({ action, target, name: name ?? action.name });
  };
}
