import { type Change, type Connector, ConnectorError, type ToolApi } from '#server/connectors/connector.ts';

/**
 * Applies changes of one person, one after the other. What is refused at one address is still asked for at the others.
 * @throws ConnectorError of the first that failed
 */
export async function applyAll(
  connector: Connector,
  api: ToolApi,
  changes: readonly Change[],
): Promise<void> {
  const refusals: ConnectorError[] = [];
  for (const change of changes) {
    try {
      await apply(connector, api, change);
    } catch (error) {
      if (!(error instanceof ConnectorError && error.isAboutChange)) throw error;
      refusals.push(error);
    }
  }
  const [first] = refusals;
  if (first !== undefined) throw first;
}

/** Somebody whose move is refused gets nothing at the address that they gave up. */
async function apply(connector: Connector, api: ToolApi, change: Change): Promise<void> {
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
