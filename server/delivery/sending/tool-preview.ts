import { type Change, type Connector, ConnectorError, type ToolApi } from '#server/connectors/connector.ts';
import { requestOf } from '#server/connectors/tool-api.ts';
import type { OutboundRequest } from '#server/platform/outbound.ts';

/**
 * The calls that would bring a tool to some changes. The tool is only read from; what would write is written down. Where
 * later calls depend on the answer to one that was not made, they are not known.
 * @throws ConnectorError where the tool cannot be read
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
