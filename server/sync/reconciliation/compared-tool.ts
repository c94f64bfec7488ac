import { allLists } from '#server/audience/lists/lists.ts';
import type { ToolApi } from '#server/connectors/connector.ts';
import { allActions } from '#server/delivery/actions/actions.ts';
import type { Services } from '#server/platform/services.ts';
import { toolClientFor } from '#server/tools/clients/tool-client.ts';
import {
  connectorOf,
  findIntegration,
  type IntegrationRow,
} from '#server/tools/integrations/integrations.ts';
import type { ToolRules } from './desired-changes.ts';

/** A tool under reconciliation, with everything needed for it. */
export interface ComparedTool extends ToolRules {
  siteId: string;
  integrationId: string;
  integration: IntegrationRow;
}

/** null if it was disconnected */
export async function loadComparedTool(
  services: Services,
  siteId: string,
  integrationId: string,
): Promise<ComparedTool | null> {
  return services.database.readSite(siteId, async (site) => {
    const integration = await findIntegration(site, integrationId);
    if (integration === undefined) return null;
    const actions = await allActions(site);
    const lists = await allLists(site);
    return {
      siteId,
      integrationId,
      integration,
      connector: connectorOf(integration),
      actions: actions.filter((one) => one.enabled && one.integration_id === integrationId),
      listIds: lists.map(({ id }) => id),
    };
  });
}

/** @param use `comparing` leaves the rate limit to deliveries; `mending` shares it like a delivery */
export function toolApiFor(services: Services, tool: ComparedTool, use: 'comparing' | 'mending'): ToolApi {
  const purpose = use === 'comparing' ? 'background' : 'owner';
  return toolClientFor(services, tool.connector, tool.integration, { purpose }).api;
}
