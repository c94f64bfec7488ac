import {
  type Connector,
  ConnectorError,
  type Credentials,
  type RateLimit,
  type ToolApi,
} from '#server/connectors/connector.ts';
import type { Grant } from '#server/connectors/oauth.ts';
import {
  type TokenSource,
  type Transport,
  type MadeCall,
  openGrantedApi,
  openToolApi,
} from '#server/connectors/tool-api.ts';
import { withConcurrencyLimit } from '#server/platform/concurrency-limit.ts';
import type { Database } from '#server/platform/database.ts';
import { retryAfterSeconds } from '#server/platform/retry-after.ts';
import type { Services } from '#server/platform/services.ts';
import { accountKeyOf, type Auth, decryptAuth } from '#server/tools/integrations/credentials.ts';
import type { IntegrationRow } from '#server/tools/integrations/integrations.sql.ts';
import { tokenSourceFor } from '#server/tools/tokens/tokens.ts';
import { limitsOf, type Pace, paceOf } from './rate-limit.ts';
import { acquire, backOff } from './rate-limit.sql.ts';

/**
 * The purpose of the calls decides how they use the account's limits.
 * owner: somebody waits for the answer. delivery: it occupies a worker slot meanwhile. background: only uses what
 * deliveries leave. reading: a GET of our API, which must not change rows, so that this process counts alone.
 */
type Purpose = 'owner' | 'delivery' | 'background' | 'reading';

interface ClientOptions {
  purpose?: Purpose;
  /** Called for every call, without credentials. */
  onCall?: (call: MadeCall) => void;
  /** About the one person whom the client is used for. */
  wroteSince?: ToolApi['wroteSince'];
  /** Is told where people stood before a change. */
  found?: ToolApi['found'];
}

/** Our own count of calls says so: nothing was sent. */
export class RateLimitReached extends ConnectorError {
  /** Average time between calls that the limit allows. */
  readonly intervalMs: number;

  constructor(message: string, retryAfterSeconds: number, intervalMs: number) {
    super('rate_limited', message, retryAfterSeconds);
    this.intervalMs = intervalMs;
  }
}

/** For a 429 without Retry-After. */
const DEFAULT_BACKOFF_SECONDS = 2;
const MAX_SLOWDOWN = 32;

/**
 * Short waits are worth it, because a change of several calls would otherwise start over each time. Deliveries wait
 * more often when other processes are faster, because what they have done already would be repeated.
 */
const MAX_WAIT = {
  owner: { mostMs: 2000, mostTimes: 5 },
  reading: { mostMs: 2000, mostTimes: 5 },
  delivery: { mostMs: 2000, mostTimes: 20 },
  background: { mostMs: 10_000, mostTimes: 5 },
};

/** A client for the tool of an integration. */
interface ToolClient {
  api: ToolApi;
  /** What is known of the account besides its tokens. */
  known: Credentials;
  /** Base URL of its calls. */
  baseUrl: string;
}

/**
 * A client for an integration, which renews its tokens as needed.
 * @throws ConnectorError `bad_credentials`
 */
export function toolClientFor(
  services: Services,
  connector: Connector,
  row: IntegrationRow,
  use: ClientOptions = {},
): ToolClient {
  const auth = decryptAuth(services, row);
  const replaced = services.config.connectorUrls[connector.envName];
  if (auth.kind === 'credentials') {
    const { credentials: known } = auth;
    const baseUrl = replaced ?? connector.connect(known).baseUrl;
    return { api: toolApiWithCredentials(services, connector, known, use), known, baseUrl };
  }
  const { grant } = auth;
  const granted = tokenSourceFor(services, connector, row, grant, use.purpose === 'reading');
  const shared = transportFor(services, connector, accountKeyOf(connector, auth, row.id), use);
  const baseUrl = replaced ?? connector.oauth?.connect('', grant.learned).baseUrl ?? '';
  return { api: openGrantedApi(connector, granted, shared), known: grant.learned, baseUrl };
}

/** A client for credentials that may not belong to an integration yet. */
export function toolApiWithCredentials(
  services: Services,
  connector: Connector,
  credentials: Credentials,
  use: ClientOptions = {},
): ToolApi {
  const auth: Auth = { kind: 'credentials', credentials };
  const transport = transportFor(services, connector, accountKeyOf(connector, auth), use);
  return openToolApi(connector, credentials, transport);
}

/** A client for newly granted tokens. */
export function toolApiWithGrant(services: Services, connector: Connector, grant: Grant): ToolApi {
  const granted: TokenSource = {
    learned: grant.learned,
    token: async () => grant.accessToken,
    tokenAfter: async () => null,
  };
  const account = accountKeyOf(connector, { kind: 'oauth', grant }, grant.accessToken);
  return openGrantedApi(connector, granted, transportFor(services, connector, account, {}));
}

/** Rate limits are kept across all processes, per account rather than per site. */
function transportFor(
  services: Services,
  connector: Connector,
  account: string,
  { onCall, purpose = 'owner', wroteSince, found }: ClientOptions,
): Transport {
  return {
    outbound: services.outbound,
    clock: services.clock,
    baseUrl: services.config.connectorUrls[connector.envName],
    acquire: (request) => acquireSlots(services, connector, { account, purpose, request }),
    withRoom: (work) => withConcurrencyLimit(connector.concurrency, account, work),
    cacheKey: cacheKeyOf(services, account),
    wroteSince,
    found,
    wait: (ms) => services.clock.wait(ms),
    async onCall(call) {
      onCall?.(call);
      if (call.status === 429) await slowDownAccount(services, connector, account, call);
    },
  };
}

/** Beyond this, the cache of the least recently used account is evicted. */
const MAX_CACHED_ACCOUNTS = 100;

const cacheKeys = new WeakMap<Database, Map<string, object>>();

function cacheKeyOf({ database }: Services, account: string): object {
  const known = cacheKeys.get(database) ?? new Map<string, object>();
  cacheKeys.set(database, known);
  const key = known.get(account) ?? {};
  // Maps keep insertion order: the most recently used is last.
  known.delete(account);
  known.set(account, key);
  const [oldest] = known.keys();
  if (known.size > MAX_CACHED_ACCOUNTS && oldest !== undefined) known.delete(oldest);
  return key;
}

type Request = MadeCall['request'];

const keyOf = (
  account: string,
  { perSeconds, endpointOf }: RateLimit,
  request: Pick<Request, 'method' | 'url'>,
) => [account, perSeconds, ...(endpointOf ? [endpointOf(request)] : [])].join(':');

async function slowDownAccount(
  services: Services,
  connector: Connector,
  account: string,
  { headers, request }: MadeCall,
): Promise<void> {
  const [shortest] = limitsOf(connector).toSorted((one, other) => one.perSeconds - other.perSeconds);
  if (shortest === undefined) return;
  const now = services.clock.now();
  const seconds = retryAfterSeconds(headers['retry-after'], now) ?? DEFAULT_BACKOFF_SECONDS;
  const until = new Date(now.getTime() + Math.max(1, seconds) * 1000);
  const options = { until, mostSlowdown: MAX_SLOWDOWN };
  await backOff(services.database.global, keyOf(account, shortest, request), options);
}

/** Counted by this process only. */
const readings = new WeakMap<Database, Map<string, number>>();

function readingsOf({ database }: Services): Map<string, number> {
  const known = readings.get(database) ?? new Map<string, number>();
  readings.set(database, known);
  return known;
}

function acquireForReading(services: Services, key: string, now: number, { intervalMs, aheadMs }: Pace) {
  const own = readingsOf(services);
  const freeAt = Math.max(own.get(key) ?? 0, now);
  if (freeAt > now + aheadMs) return freeAt - aheadMs - now;
  own.set(key, freeAt + intervalMs);
  return 0;
}

async function acquireSlots(
  services: Services,
  connector: Connector,
  {
    account,
    purpose,
    request,
  }: { account: string; purpose: Purpose; request: Pick<Request, 'method' | 'url'> },
): Promise<void> {
  for (const limit of limitsOf(connector)) {
    const key = keyOf(account, limit, request);
    const take = () => acquireSlot(services, connector, { key, limit, purpose });
    // Within this process, callers acquire slots one at a time and in order. Background calls, which only use what is
    // left over, block nobody.
    const queue = `${purpose === 'reading' ? 'reading' : 'turn'}:${key}`;
    await (purpose === 'background' ? take() : withConcurrencyLimit(1, queue, take));
  }
}

async function acquireSlot(
  services: Services,
  { name }: Connector,
  { key, limit, purpose }: { key: string; limit: RateLimit; purpose: Purpose },
): Promise<void> {
  const { mostMs, mostTimes } = MAX_WAIT[purpose];
  const pace = paceOf(limit);
  const aheadMs = purpose === 'background' ? pace.backgroundAheadMs : pace.aheadMs;
  for (let waits = 0; ; waits += 1) {
    const now = services.clock.now();
    const waitMs =
      purpose === 'reading'
        ? acquireForReading(services, key, now.getTime(), pace)
        : await acquire(services.database.global, key, { now, intervalMs: pace.intervalMs, aheadMs });
    if (waitMs === 0) return;
    if (waitMs > mostMs || waits === mostTimes) {
      const message = `${name} doesn't allow more calls right now.`;
      throw new RateLimitReached(message, Math.ceil(waitMs / 1000), pace.intervalMs);
    }
    await services.clock.wait(waitMs);
  }
}
