import type { ConnectorInfo, Integration } from '#contract/integrations.ts';

/** What each part of an integration's page is about. */
export interface IntegrationProps {
  integration: Integration;
  connector: ConnectorInfo;
}
