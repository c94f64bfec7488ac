import type { z } from 'zod';
import type { actionFields } from '#contract/actions.ts';
import type { Capability, Connector } from '#server/connectors/connector.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { AppError, invalidField } from '#server/platform/errors.ts';
import { capabilityOf } from '#server/tools/integrations/catalogue.ts';
import {
  connectorOf,
  findIntegration,
  type IntegrationRow,
} from '#server/tools/integrations/integrations.ts';

type ToolAction = Pick<z.output<typeof actionFields>, 'type' | 'integration_id' | 'operation' | 'target'>;

/** What an action on a tool is kept with, once it is known that the tool can do it. */
export interface CheckedToolAction {
  integrationId: string;
  operation: string;
  target: { id: string; name: string } | Record<string, never>;
}

function requireOperation(
  connector: Connector,
  capability: Capability & { can: true },
  wanted: string | null,
) {
  const [forward] = capability.operations;
  if (wanted === null) return forward;
  if (capability.operations.some((operation) => operation === wanted)) return wanted;
  const known = capability.operations.join(' or ');
  throw invalidField('operation', `operation: ${connector.name} can only ${known} here.`);
}

function requireTarget(
  connector: Connector,
  capability: Capability & { can: true },
  target: ToolAction['target'],
): CheckedToolAction['target'] {
  const isNamed = 'id' in target;
  if (capability.target === null) {
    if (Object.keys(target).length > 0)
      throw invalidField('target', 'target: this action has no target. Leave it empty.');
    return {};
  }
  if (!isNamed) {
    const kind = capability.target.replaceAll('_', ' ');
    throw invalidField('target', `target: choose one of ${connector.name}'s ${kind}, with its id and name.`);
  }
  return { id: target.id, name: target.name };
}

/** The integrations that actions use, each read once, by id; those that the site doesn't have are missing. */
export async function integrationsOf(
  site: SiteDb,
  actions: readonly Pick<ToolAction, 'integration_id'>[],
): Promise<Map<string, IntegrationRow>> {
  const found = new Map<string, IntegrationRow>();
  for (const id of new Set(actions.flatMap((action) => action.integration_id ?? []))) {
    const row = await findIntegration(site, id);
    if (row !== undefined) found.set(id, row);
  }
  return found;
}

/**
 * @param integrations see `integrationsOf`
 * @throws AppError `invalid_field`, `action_type_unavailable` with the tool's reason
 */
export function requireToolAction(
  integrations: ReadonlyMap<string, IntegrationRow>,
  input: ToolAction,
): CheckedToolAction {
  const { type, integration_id: integrationId } = input;
  if (integrationId === null) {
    throw invalidField('integration_id', `integration_id: ${type} needs a connected email tool.`);
  }
  const integration = integrations.get(integrationId);
  if (integration === undefined) {
    throw invalidField('integration_id', "integration_id: this site doesn't have this integration.");
  }
  const connector = connectorOf(integration);
  const capability = capabilityOf(connector, type);
  if (!capability.can) {
    throw new AppError('action_type_unavailable', `type: ${capability.reason}`, { field: 'type' });
  }
  return {
    integrationId,
    operation: requireOperation(connector, capability, input.operation),
    target: requireTarget(connector, capability, input.target),
  };
}
