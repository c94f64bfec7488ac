import { type Change, type Connector, ConnectorError, type ToolApi } from '#server/connectors/connector.ts';
import { requestOf } from '#server/connectors/tool-api.ts';
import type { OutboundRequest } from '#server/platform/outbound.ts';
import { isWrite } from './tool-delivery.ts';

export interface PlannedCalls {
  calls: OutboundRequest[];
  /** false: what follows depends on the answer to a skipped write, and is unknown. */
  isWhole: boolean;
}

/** Ends a plan where the tool would be read after a write that was skipped. */
class AnswerNeeded extends Error {}

/**
 * The calls that would apply some changes. Reads are made, writes are only collected.
 * @throws ConnectorError if the tool cannot be read, or would refuse
 */
export async function callsFor(
  connector: Connector,
  changes: readonly Change[],
  api: ToolApi,
  baseUrl: string,
): Promise<PlannedCalls> {
  const calls: OutboundRequest[] = [];
  const dry: ToolApi = {
    ...api,
    // What is waited for is the outcome of a write.
    wait: async () => {},
    async call(call) {
      const request = requestOf(baseUrl, call);
      if (isWrite({ request })) {
        calls.push(request);
        return { status: 200, headers: {}, body: {}, text: '{}' };
      }
      if (calls.length > 0) throw new AnswerNeeded();
      return api.call(call);
    },
  };
  try {
    for (const change of changes) await connector.apply(dry, change);
    return { calls, isWhole: true };
  } catch (error) {
    const isUnknown = error instanceof AnswerNeeded || error instanceof ConnectorError;
    if (!isUnknown || calls.length === 0) throw error;
    return { calls, isWhole: false };
  }
}
