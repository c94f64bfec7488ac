import {
  type Connector,
  ConnectorError,
  type Credentials,
  type RateLimit,
  type ToolApi,
} from '#server/connectors/connector.ts';
import { type MadeCall, openToolApi } from '#server/connectors/tool-api.ts';
import { atMost } from '#server/platform/at-most.ts';
import { retryAfterSeconds } from '#server/platform/retry-after.ts';
import type { Services } from '#server/platform/services.ts';
import { accountKeyOf } from './credentials.ts';
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

/**
 * The line to an account of a tool. All processes together keep the tool's limits: they are counted for the account,
 * not for the site.
 */
export function lineTo(
  services: Services,
  connector: Connector,
  credentials: Credentials,
  { onCall, purpose = 'owner' }: Use = {},
): ToolApi {
  const account = accountKeyOf(connector, credentials);
  let calls = 0;
  return openToolApi(connector, credentials, {
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
  });
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
  credentials: Credentials,
  calls: number,
): Promise<Date> {
  const intervals = limitsOf(connector).map((limit) => paceOf(limit).intervalMs);
  const spacingMs = Math.max(...intervals) * Math.max(1, calls);
  return lineUp(services, `${accountKeyOf(connector, credentials)}:line`, spacingMs);
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
