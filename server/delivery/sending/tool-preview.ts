import { type Change, type Connector, ConnectorError, type ToolApi } from '#server/connectors/connector.ts';
import { requestOf } from '#server/connectors/tool-api.ts';
import type { OutboundRequest } from '#server/platform/outbound.ts';

/**
 * The calls that would apply some changes. Reads are made, writes are only collected. Calls that depend on the answer
 * to a skipped write are unknown.
 * @throws ConnectorError if the tool cannot be read
 */
export async function callsFor(
  connector: Connector,
  changes: readonly Change[],
  api: ToolApi,
  baseUrl: string,
): Promise<OutboundRequest[]> {
  const calls: OutboundRequest[] = [];
  const dry: ToolApi = {
    ...api,
    async call(call) {
      if (call.method === 'GET' && calls.length === 0) return api.call(call);
      calls.push(requestOf(baseUrl, call));
      return { status: 200, headers: {}, body: {}, text: '{}' };
    },
  };
  try {
    for (const change of changes) await connector.apply(dry, change);
  } catch (error) {
    if (!(error instanceof ConnectorError) || calls.length === 0) throw error;
  }
  return calls;
}
