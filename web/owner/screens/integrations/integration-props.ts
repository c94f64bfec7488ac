import type { ConnectorInfo, Integration } from '#contract/integrations.ts';

/** The props of each part of an integration's page. */
export interface IntegrationProps {
  integration: Integration;
  connector: ConnectorInfo;
}
