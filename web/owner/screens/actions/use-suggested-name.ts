import { type Control, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useIntegrations } from '../../queries/integration-queries.ts';
import { type ActionForm, hostOf, splitOperation, suggestedName } from './actions.logic.ts';

/** Suggests a name for a new action until it is given one. */
export function useSuggestedName(control: Control<ActionForm>): string {
  const { t } = useTranslation('actions');
  const { data: integrations = [] } = useIntegrations();
  const [receiver, toolOperation, target, url] = useWatch({
    control,
    name: ['receiver', 'toolOperation', 'target', 'url'],
  });
  if (receiver === 'webhook') return t('builder.name_placeholder', { host: hostOf(url) });
  if (receiver === 'evidence') return t('type.evidence');
  const tool = integrations.find(({ id }) => id === receiver)?.name ?? '';
  if (toolOperation === '') return tool;
  return suggestedName(tool, t(`type.${splitOperation(toolOperation).type}`), target);
}
