import { type Change, type Connector, ConnectorError, type ToolApi } from '#server/connectors/connector.ts';
import { requestOf } from '#server/connectors/tool-api.ts';
import type { OutboundRequest } from '#server/platform/outbound.ts';
import { applyAll } from './apply-changes.ts';
import { isWrite } from './tool-effects.ts';

export interface PlannedCalls {
  calls: OutboundRequest[];
  /** false: what follows depends on the answer to a skipped write, and is unknown. */
  isWhole: boolean;
}

/** Ends a plan where what follows depends on the answer to a write that was skipped. */
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
  return collectCalls(api, baseUrl, { mostWrites: Infinity }, async (dry) => {
    await applyAll(connector, dry, changes);
  });
}

/**
 * The calls that would apply the same change for several people at once, as far as they are sure: which of the people need
 * a call of their own follows from the answer to the first.
 * @param changes of people who share calls; the first is of the person whose plan it is
 * @throws ConnectorError if the tool cannot be read, or would refuse the first person's change
 */
export async function callsForMany(
  connector: Connector,
  changes: readonly Change[],
  api: ToolApi,
  baseUrl: string,
): Promise<PlannedCalls> {
  return collectCalls(api, baseUrl, { mostWrites: 1 }, async (dry) => {
    const [outcome] = (await connector.applyMany?.(dry, changes)) ?? [];
    if (outcome) throw outcome;
  });
}

async function collectCalls(
  api: ToolApi,
  baseUrl: string,
  { mostWrites }: { mostWrites: number },
  work: (dry: ToolApi) => Promise<void>,
): Promise<PlannedCalls> {
  const calls: OutboundRequest[] = [];
  const dry: ToolApi = {
    ...api,
    // What is waited for is the outcome of a write.
    wait: async () => {},
    async call(call) {
      const request = requestOf(baseUrl, call);
      if (isWrite({ request })) {
        if (calls.length >= mostWrites) throw new AnswerNeeded();
        calls.push(request);
        return { status: 200, headers: {}, body: {}, text: '{}' };
      }
      if (calls.length > 0) throw new AnswerNeeded();
      return api.call(call);
    },
  };
  try {
    await work(dry);
    return { calls, isWhole: true };
  } catch (error) {
    const isUnknown = error instanceof AnswerNeeded || error instanceof ConnectorError;
    if (!isUnknown || calls.length === 0) throw error;
    return { calls, isWhole: false };
  }
}
