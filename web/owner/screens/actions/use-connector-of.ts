import { useConnectors, useIntegrations } from '../../queries/integration-queries.ts';

/** The name and the connector of an integration's tool. */
export function useConnectorOf(integrationId: string) {
  const { data: integrations = [] } = useIntegrations();
  const { data: connectors = [] } = useConnectors();
  const integration = integrations.find(({ id }) => id === integrationId);
  return {
    tool: integration?.name ?? '',
    connector: connectors.find(({ id }) => id === integration?.provider),
  };
}
