import type { Delivery } from '#contract/deliveries.ts';
import { isKeyAlone } from '#contract/integrations.ts';
import { useActions } from '../../queries/action-queries.ts';
import { useConnectors, useIntegrations } from '../../queries/integration-queries.ts';

/** The integration that a delivery goes to, and whether it was connected with just an API key. */
export function useIntegrationOf(): (delivery: Pick<Delivery, 'action_id'>) => {
  integrationId: string | null;
  isByKey: boolean;
} {
  const actions = useActions().data;
  const integrations = useIntegrations().data;
  const connectors = useConnectors().data;
  return ({ action_id }) => {
    const id = actions?.find((action) => action.id === action_id)?.integration_id ?? null;
    const integration = integrations?.find((one) => one.id === id);
    const connector = connectors?.find((one) => one.id === integration?.provider);
    return {
      integrationId: id,
      isByKey: integration !== undefined && isKeyAlone(integration.connected_by, connector),
    };
  };
}
