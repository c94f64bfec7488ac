import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Connector,
  ConnectorError,
  type Credentials,
  type ToolApi,
} from '#server/connectors/connector.ts';
import { type MadeCall, openToolApi } from '#server/connectors/tool-api.ts';
import { atMost } from '#server/platform/at-most.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import { accountKeyOf } from './credentials.ts';

interface Use {
  /** Hears of every call, without credentials. */
  onCall?: (call: MadeCall) => void;
  /** For a GET of ours, which changes no row: its calls are counted by this process alone. */
  isReading?: boolean;
}

/**
 * The line to an account of a tool. All processes together keep the tool's limits: they are counted for the account,
 * not for the site.
 */
export function lineTo(
  services: Services,
  connector: Connector,
  credentials: Credentials,
  { onCall, isReading = false }: Use = {},
): ToolApi {
  const account = accountKeyOf(connector, credentials);
  return openToolApi(connector, credentials, {
    outbound: services.outbound,
    clock: services.clock,
    baseUrl: services.config.connectorUrls[connector.envName],
    takeTurn: () => takeTurn(services, connector, account, isReading ? 'useForReading' : 'use'),
    withRoom: (work) => atMost(connector.concurrency, account, work),
    ...(onCall === undefined ? {} : { onCall }),
  });
}

/** What is over in a moment is waited for, so that a change of several calls is not begun again each time. */
const WORTH_WAITING_SECONDS = 2;
const MOST_WAITS = 5;

async function takeTurn(
  services: Services,
  connector: Connector,
  account: string,
  how: 'use' | 'useForReading',
): Promise<void> {
  for (const { requests, perSeconds } of connector.limits) {
    const limit = { name: `tool-${connector.id}-${perSeconds}`, points: requests, perSeconds };
    for (let waits = 0; ; waits += 1) {
      const seconds = await secondsUntilFree(() => services.limits[how](limit, account));
      if (seconds === null) break;
      if (seconds > WORTH_WAITING_SECONDS || waits === MOST_WAITS) {
        const message = `${connector.name} allows no more calls at the moment.`;
        throw new ConnectorError('rate_limited', message, seconds);
      }
      await sleep(seconds * 1000);
    }
  }
}

/** null: it is free, and one use is counted */
async function secondsUntilFree(use: () => Promise<void>): Promise<number | null> {
  try {
    await use();
    return null;
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'rate_limited')) throw error;
    return error.retryAfterSeconds ?? 1;
  }
}
