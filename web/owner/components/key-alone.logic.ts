import type { ConnectorInfo, Integration } from '#contract/integrations.ts';

/** Whether what a tool accepts or rejects is an API key: it was connected with that and nothing else. */
export function isKeyAlone(
  connectedBy: Integration['connected_by'],
  connector: Pick<ConnectorInfo, 'credentials'> | undefined,
): boolean {
  return connectedBy !== 'oauth' && connector?.credentials.map(({ name }) => name).join() === 'api_key';
}
