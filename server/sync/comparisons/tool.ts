import { allLists } from '#server/audience/lists/lists.ts';
import type { ConnectorError, ToolApi } from '#server/connectors/connector.ts';
import { allActions } from '#server/delivery/actions/actions.ts';
import type { Services } from '#server/platform/services.ts';
import { toolClientFor } from '#server/tools/clients/tool-client.ts';
import {
  connectorOf,
  findIntegration,
  type IntegrationRow,
} from '#server/tools/integrations/integrations.ts';
import type { Rules } from './wanted.ts';

/** A tool that is compared with, with all that this needs. */
export interface ComparedTool extends Rules {
  siteId: string;
  integrationId: string;
  integration: IntegrationRow;
}

/** null: it was disconnected */
export async function openTool(
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

/** @param use `comparing` takes nothing of what deliveries may use; `mending` goes like a delivery */
export function lineFor(services: Services, tool: ComparedTool, use: 'comparing' | 'mending'): ToolApi {
  const purpose = use === 'comparing' ? 'background' : 'owner';
  return toolClientFor(services, tool.connector, tool.integration, { purpose }).api;
}

/** It is about this person alone: the tool takes others. */
export function isAboutOne({ kind }: ConnectorError): boolean {
  return kind === 'refused' || kind === 'not_found';
}
