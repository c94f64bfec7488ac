import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Connector,
  ConnectorError,
  type Credentials,
  type ToolApi,
} from '#server/connectors/connector.ts';
import type { Grant } from '#server/connectors/oauth.ts';
import {
  type Granted,
  type Line,
  type MadeCall,
  openGrantedApi,
  openToolApi,
} from '#server/connectors/tool-api.ts';
import { atMost } from '#server/platform/at-most.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import { accountKeyOf, type LetInBy, openLetIn } from './credentials.ts';
import type { IntegrationRow } from './integrations.sql.ts';
import { grantedTo } from './tokens.ts';

interface Use {
  /** Hears of every call, without credentials. */
  onCall?: (call: MadeCall) => void;
  /** For a GET of ours, which changes no row: its calls are counted by this process alone. */
  isReading?: boolean;
}

/** The line to the tool of an integration. */
interface OpenLine {
  line: ToolApi;
  /** What is known of the account beside its tokens. */
  known: Credentials;
  /** Where its calls go. */
  baseUrl: string;
}

/** Opens the line of an integration, whose tokens are kept good. @throws ConnectorError `bad_credentials` */
export function lineOf(
  services: Services,
  connector: Connector,
  row: IntegrationRow,
  use: Use = {},
): OpenLine {
  const letIn = openLetIn(services, row);
  const replaced = services.config.connectorUrls[connector.envName];
  if (letIn.kind === 'credentials') {
    const { credentials: known } = letIn;
    const baseUrl = replaced ?? connector.connect(known).baseUrl;
    return { line: lineTo(services, connector, known, use), known, baseUrl };
  }
  const { grant } = letIn;
  const granted = grantedTo(services, connector, row, grant, use.isReading ?? false);
  const shared = sharedLine(services, connector, accountKeyOf(connector, letIn, row.id), use);
  const baseUrl = replaced ?? connector.oauth?.connect('', grant.learned).baseUrl ?? '';
  return { line: openGrantedApi(connector, granted, shared), known: grant.learned, baseUrl };
}

/** The line by credentials that may be no integration's yet. */
export function lineTo(
  services: Services,
  connector: Connector,
  credentials: Credentials,
  use: Use = {},
): ToolApi {
  const letIn: LetInBy = { kind: 'credentials', credentials };
  const line = sharedLine(services, connector, accountKeyOf(connector, letIn), use);
  return openToolApi(connector, credentials, line);
}

/** The line by tokens that were just granted. */
export function lineBy(services: Services, connector: Connector, grant: Grant): ToolApi {
  const granted: Granted = {
    learned: grant.learned,
    token: async () => grant.accessToken,
    tokenAfter: async () => null,
  };
  const account = accountKeyOf(connector, { kind: 'oauth', grant }, grant.accessToken);
  return openGrantedApi(connector, granted, sharedLine(services, connector, account, {}));
}

/** All processes together keep the tool's limits: they are counted for the account, not for the site. */
function sharedLine(
  services: Services,
  connector: Connector,
  account: string,
  { onCall, isReading = false }: Use,
): Line {
  return {
    outbound: services.outbound,
    clock: services.clock,
    baseUrl: services.config.connectorUrls[connector.envName],
    takeTurn: () => takeTurn(services, connector, account, isReading ? 'useForReading' : 'use'),
    withRoom: (work) => atMost(connector.concurrency, account, work),
    ...(onCall === undefined ? {} : { onCall }),
  };
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
