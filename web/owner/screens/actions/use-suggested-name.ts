import { type Control, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useIntegrations } from '../../queries/integration-queries.ts';
import { type ActionForm, hostOf, suggestedName } from './actions.logic.ts';

/** Suggests a name for a new action until it is given one; others for subscribing and for unsubscribing. */
export function useSuggestedName(control: Control<ActionForm>): string {
  const { t } = useTranslation(['actions', 'deliveries']);
  const { data: integrations = [] } = useIntegrations();
  const [event, receiver, toolOperation, target, url] = useWatch({
    control,
    name: ['event', 'receiver', 'toolOperation', 'target', 'url'],
  });
  const when = t(`deliveries:event.${event}`);
  if (receiver === 'webhook') {
    return suggestedName(t('builder.name_placeholder', { host: hostOf(url) }), when, null);
  }
  if (receiver === 'evidence') return suggestedName(t('type.evidence'), when, null);
  const tool = integrations.find(({ id }) => id === receiver)?.name ?? '';
  if (toolOperation === '') return tool;
  return suggestedName(tool, t(`deed.${toolOperation}`), target);
}
