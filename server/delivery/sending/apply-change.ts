import { type Change, type Connector, ConnectorError, type ToolApi } from '#server/connectors/connector.ts';

/**
 * Applies a change. Somebody whose move is refused gets nothing at the address that they gave up.
 * @throws ConnectorError
 */
export async function applyChange(connector: Connector, api: ToolApi, change: Change): Promise<void> {
  try {
    await connector.apply(api, change);
  } catch (error) {
    const isRefused = error instanceof ConnectorError && error.kind === 'refused' && error.isFinal;
    if (isRefused && change.type === 'switch_email' && connector.actions.global_unsubscribe.can) {
      await connector.apply(api, { type: 'global_unsubscribe', email: change.from, on: true });
    }
    throw error;
  }
}
