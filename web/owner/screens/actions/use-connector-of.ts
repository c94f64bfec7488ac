import { useConnectors, useIntegrations } from '../../queries/integration-queries.ts';

/** The tool of an integration, by what it is called here and what it can do. */
export function useConnectorOf(integrationId: string) {
  const { data: integrations = [] } = useIntegrations();
  const { data: connectors = [] } = useConnectors();
  const integration = integrations.find(({ id }) => id === integrationId);
  return {
    tool: integration?.name ?? '',
    connector: connectors.find(({ id }) => id === integration?.provider),
  };
}
