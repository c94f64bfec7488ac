import { ACTION_TYPES, type ActionType } from '#contract/actions.ts';
import type { ConnectorInfo } from '#contract/integrations.ts';
import type { Capability, Connector } from '#server/connectors/connector.ts';
import { CONNECTORS } from '#server/connectors/index.ts';
import type { Services } from '#server/platform/services.ts';
import { oauthClientOf } from './oauth-app.ts';

/** Webhook and evidence actions need no tool. */
const NEEDS_NO_TOOL: Capability = {
  can: false,
  reason: 'This needs no email tool. Sayso sends it.',
};

export function capabilityOf(connector: Connector, type: ActionType): Capability {
  return type === 'webhook' || type === 'evidence' ? NEEDS_NO_TOOL : connector.actions[type];
}

function presentCapability(capability: Capability): ConnectorInfo['actions'][ActionType] {
  if (!capability.can) return capability;
  const { operations, target, irreversible = null, note = null, isNoteOfForward = false } = capability;
  const noteOperation = isNoteOfForward ? operations[0] : null;
  return {
    can: true,
    operations: [...operations],
    target,
    irreversible,
    note,
    note_operation: noteOperation,
  };
}

/** What the API says of a connector. */
export function presentConnector(services: Pick<Services, 'config'>, connector: Connector): ConnectorInfo {
  const asking = oauthClientOf(services, connector);
  return {
    id: connector.id,
    name: connector.name,
    logo: connector.logo ?? null,
    credentials: connector.credentials.map(({ pattern: _, choices, ...field }) => ({
      ...field,
      choices: choices ?? null,
    })),
    oauth: asking !== null,
    oauth_takes: [...(asking?.oauth.takes ?? [])],
    actions: Object.fromEntries(
      ACTION_TYPES.map((type) => [type, presentCapability(capabilityOf(connector, type))]),
    ) as ConnectorInfo['actions'],
    limits: connector.limits.map(({ requests, perSeconds }) => ({ requests, per_seconds: perSeconds })),
    tells_us: connector.inbound.kind,
    webhook_secret: connector.inbound.kind === 'webhook' ? connector.inbound.secret : 'none',
    webhook_secret_source: secretSourceOf(connector),
    imports: connector.people?.can ? [...connector.people.of] : [],
    email_merge_tag: connector.mergeTags.email,
  };
}

function secretSourceOf({ inbound }: Connector): ConnectorInfo['webhook_secret_source'] {
  if (inbound.kind !== 'webhook' || inbound.secret === 'none') return null;
  return inbound.takesAnySecret ? 'you' : 'tool';
}

export function listConnectors(services: Services): ConnectorInfo[] {
  return CONNECTORS.map((connector) => presentConnector(services, connector));
}
