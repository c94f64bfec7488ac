import {
  type Connector,
  ConnectorError,
  type Credentials,
  type RateLimit,
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
import { retryAfterSeconds } from '#server/platform/retry-after.ts';
import type { Services } from '#server/platform/services.ts';
import { accountKeyOf, type LetInBy, openLetIn } from './credentials.ts';
import type { IntegrationRow } from './integrations.sql.ts';
import { grantedTo } from './tokens.ts';
import { grantUse, holdBack, standInLine } from './tool-pace.sql.ts';

/**
 * What the calls are for, which says how they keep the account's limits.
 * owner: somebody waits for the answer. delivery: comes again later rather than wait for its first call. background: only
 * takes what deliveries leave. reading: a GET of ours, which changes no row, so that this process counts alone.
 */
type Purpose = 'owner' | 'delivery' | 'background' | 'reading';

interface Use {
  purpose?: Purpose;
  /** Hears of every call, without credentials. */
  onCall?: (call: MadeCall) => void;
}

/** Not the tool said it, but our own count of its calls: nothing was sent. */
export class LimitUsedUp extends ConnectorError {}

/** Of a tool that names no limit: to be held back when it says that it is too much. */
const UNNAMED: RateLimit = { requests: 100, perSeconds: 1 };

/** After a refusal that does not say how long. */
const HELD_BACK_SECONDS = 2;
const MOST_SLOWDOWN = 32;

/** What is over in a moment is waited for, so that a change of several calls is not begun again each time. */
const WORTH_WAITING = {
  owner: { mostMs: 2000, mostTimes: 5 },
  reading: { mostMs: 2000, mostTimes: 5 },
  delivery: { mostMs: 2000, mostTimes: 5 },
  background: { mostMs: 10_000, mostTimes: 5 },
};

/** What has not begun yet does not hold up others for longer. */
const A_MOMENT = { mostMs: 300, mostTimes: 1 };

function limitsOf({ limits }: Connector): readonly RateLimit[] {
  return limits.length === 0 ? [UNNAMED] : limits;
}

/**
 * An even pace with some calls at once: in no window are there more than the tool allows, however it counts them.
 * @returns how far apart calls are on average, and how far ahead of that pace they may run
 */
export function paceOf({ requests, perSeconds }: RateLimit): { intervalMs: number; aheadMs: number } {
  const atOnce = Math.max(1, Math.floor(requests / 5));
  const intervalMs = (perSeconds * 1000) / Math.max(1, requests - atOnce);
  return { intervalMs, aheadMs: (atOnce - 1) * intervalMs };
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
  const granted = grantedTo(services, connector, row, grant, use.purpose === 'reading');
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
  { onCall, purpose = 'owner' }: Use,
): Line {
  let calls = 0;
  return {
    outbound: services.outbound,
    clock: services.clock,
    baseUrl: services.config.connectorUrls[connector.envName],
    async takeTurn() {
      await takeTurn(services, connector, account, { purpose, isFirst: calls === 0 });
      calls += 1;
    },
    withRoom: (work) => atMost(connector.concurrency, account, work),
    wait: (ms) => services.clock.wait(ms),
    async onCall(call) {
      onCall?.(call);
      if (call.status === 429) await slowDown(services, connector, account, call);
    },
  };
}

const keyOf = (account: string, { perSeconds }: RateLimit) => `${account}:${perSeconds}`;

async function slowDown(
  services: Services,
  connector: Connector,
  account: string,
  { headers }: MadeCall,
): Promise<void> {
  const [shortest] = limitsOf(connector).toSorted((one, other) => one.perSeconds - other.perSeconds);
  if (shortest === undefined) return;
  const now = services.clock.now();
  const seconds = retryAfterSeconds(headers['retry-after'], now) ?? HELD_BACK_SECONDS;
  const until = new Date(now.getTime() + Math.max(1, seconds) * 1000);
  const options = { until, mostSlowdown: MOST_SLOWDOWN };
  await holdBack(services.database.global, keyOf(account, shortest), options);
}

/** Counted by this process alone. */
const readings = new Map<string, number>();

function grantReading(key: string, now: number, { intervalMs, aheadMs }: ReturnType<typeof paceOf>) {
  const freeAt = Math.max(readings.get(key) ?? 0, now);
  if (freeAt > now + aheadMs) return freeAt - aheadMs - now;
  readings.set(key, freeAt + intervalMs);
  return 0;
}

async function takeTurn(
  services: Services,
  connector: Connector,
  account: string,
  { purpose, isFirst }: { purpose: Purpose; isFirst: boolean },
): Promise<void> {
  const { mostMs, mostTimes } = purpose === 'delivery' && isFirst ? A_MOMENT : WORTH_WAITING[purpose];
  for (const limit of limitsOf(connector)) {
    const pace = paceOf(limit);
    // What is left over is there only when nobody has run ahead.
    const aheadMs = purpose === 'background' ? -pace.intervalMs : pace.aheadMs;
    for (let waits = 0; ; waits += 1) {
      const now = services.clock.now();
      const key = keyOf(account, limit);
      const waitMs =
        purpose === 'reading'
          ? grantReading(key, now.getTime(), pace)
          : await grantUse(services.database.global, key, { now, intervalMs: pace.intervalMs, aheadMs });
      if (waitMs === 0) break;
      if (waitMs > mostMs || waits === mostTimes) {
        const message = `${connector.name} allows no more calls at the moment.`;
        throw new LimitUsedUp('rate_limited', message, Math.ceil(waitMs / 1000));
      }
      await services.clock.wait(waitMs);
    }
  }
}

/** Nobody stands in line for longer; who still finds no room then stands in line again. */
const LONGEST_LINE_MS = 30 * 60_000;

/**
 * When something that found no room comes again: each at its own time, as far apart as the account allows.
 * @param calls how many it will make
 */
export async function placeInLine(
  services: Services,
  connector: Connector,
  row: Pick<IntegrationRow, 'site_id' | 'id' | 'credentials_sealed'>,
  calls: number,
): Promise<Date> {
  const intervals = limitsOf(connector).map((limit) => paceOf(limit).intervalMs);
  const spacingMs = Math.max(...intervals) * Math.max(1, calls);
  const account = accountKeyOf(connector, openLetIn(services, row), row.id);
  return lineUp(services, `${account}:line`, spacingMs);
}

export async function lineUp(
  services: Services,
  line: string,
  spacingMs: number,
  longestMs = LONGEST_LINE_MS,
): Promise<Date> {
  const now = services.clock.now();
  const place = await standInLine(services.database.global, line, { now, spacingMs });
  // Those beyond the end do not all come at once either.
  const end = now.getTime() + longestMs * (1 - Math.random() / 5);
  return new Date(Math.min(place.getTime(), end));
}
