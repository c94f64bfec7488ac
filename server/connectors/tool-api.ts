import { withoutTrailingSlashes } from '#contract/trailing-slashes.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '#server/platform/clock.ts';
import { type Outbound, OutboundError, type OutboundRequest } from '#server/platform/outbound.ts';
import { retryAfterSeconds } from '#server/platform/retry-after.ts';
import {
  type Connection,
  type Connector,
  ConnectorError,
  type Credentials,
  type ToolAnswer,
  type ToolApi,
  type ToolCall,
} from './connector.ts';
import { redactor } from './redact.ts';

/** A call and its answer, with credentials redacted. */
export interface MadeCall {
  /** It asked for a token, and is no call of the connector's. */
  isLogIn?: true;
  request: Pick<OutboundRequest, 'method' | 'url' | 'body'>;
  status: number | null;
  headers: Readonly<Record<string, string>>;
  text: string;
}

/** Supplies the current token of an OAuth connection. */
export interface TokenSource {
  learned: Credentials;
  /** The valid token. @throws ConnectorError */
  token(): Promise<string>;
  /** A replacement for a refused token; null if there is none. @throws ConnectorError */
  tokenAfter(refused: string): Promise<string | null>;
}

export interface Transport {
  outbound: Outbound;
  clock: Pick<Clock, 'now'>;
  /** Replaces the tool's own URL (`CONNECTOR_<NAME>_URL`). */
  baseUrl?: string | undefined;
  /** Acquires a rate-limit slot. @throws ConnectorError `rate_limited` if that takes too long */
  acquire?(request: Pick<OutboundRequest, 'method' | 'url'>): Promise<void>;
  /** Runs a call within the account's concurrency limit. */
  withRoom?<T>(work: () => Promise<T>): Promise<T>;
  /** Shared by all clients of one account; by default each client has its own. */
  cacheKey?: object;
  /** By default no earlier writes are known. */
  wroteSince?: ToolApi['wroteSince'] | undefined;
  found?: ToolApi['found'] | undefined;
  /** Replaces real time. */
  wait?: ((milliseconds: number) => Promise<void>) | undefined;
  /** Called for every call, before its answer is used. */
  onCall?(call: MadeCall): void | Promise<void>;
}

function urlOf(baseUrl: string, { path, query = {} }: ToolCall): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  }
  const text = search.toString();
  return `${withoutTrailingSlashes(baseUrl)}${path}${text === '' ? '' : `?${text}`}`;
}

function bodyOf({ json, form }: ToolCall): { body: string; headers: Record<string, string> } {
  if (json !== undefined) {
    return { body: JSON.stringify(json), headers: { 'content-type': 'application/json' } };
  }
  if (form !== undefined) {
    return {
      body: new URLSearchParams(form).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    };
  }
  return { body: '', headers: {} };
}

const isGood = (status: number) => status >= 200 && status < 300;

function parse(text: string): unknown {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The default meaning of a status; a connector's `failureOf` takes precedence. */
function usualFailure(name: string, answer: ToolAnswer, now: Date): ConnectorError {
  const { status, headers } = answer;
  const retryAfter = retryAfterSeconds(headers['retry-after'], now);
  if (status === 401 || status === 403) {
    return new ConnectorError('bad_credentials', `${name} rejected the credentials (${status}).`);
  }
  if (status === 404 || status === 410) {
    return new ConnectorError('not_found', `${name} couldn't find what this request refers to (${status}).`);
  }
  if (status === 429) {
    return new ConnectorError('rate_limited', `${name} allows no more calls right now (429).`, retryAfter);
  }
  if (status >= 500 || status === 408) {
    return new ConnectorError('unavailable', `${name} answered with an error (${status}).`, retryAfter);
  }
  return new ConnectorError('refused', `${name} rejected the request (${status}).`);
}

/** A call as sent, without authentication. */
export function requestOf(baseUrl: string, call: ToolCall): OutboundRequest {
  const { body, headers } = bodyOf(call);
  return {
    method: call.method,
    url: urlOf(baseUrl, call),
    headers: { accept: 'application/json', ...headers },
    body,
  };
}

/** Enough for a page of a thousand rows. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

const saysJson = (headers: Headers) => /\bjson\b/i.test(headers['content-type'] ?? '');

/** A token is replaced this long before it expires. */
const TOKEN_MARGIN_MS = 60_000;

type Headers = Readonly<Record<string, string>>;

/** How a client authenticates. */
interface Authorization {
  now(): Promise<Headers>;
  /** Replaces refused headers, after a 401 or another failure; null if there is no replacement. */
  after(refused: Headers, by401: boolean): Promise<Headers | null>;
}

/** A client that authenticates by credentials. */
export function openToolApi(connector: Connector, credentials: Credentials, transport: Transport): ToolApi {
  const known = { ...connector.connect(credentials), credentials };
  return createToolApi(connector, known, transport, (api) => {
    if (connector.logIn === undefined) return { now: async () => ({}), after: async () => null };
    const logIn = connector.logIn.bind(connector);
    return loggedIn((bare) => logIn(bare, credentials), api, transport.clock);
  });
}

/** A client that authenticates by an OAuth grant. */
export function openGrantedApi(connector: Connector, granted: TokenSource, transport: Transport): ToolApi {
  const { oauth } = connector;
  if (oauth === undefined) throw new Error(`${connector.name} has no OAuth`);
  // Only the headers depend on the token.
  const headersOf = (token: string) => oauth.connect(token, granted.learned).headers;
  const { baseUrl, account } = oauth.connect('', granted.learned);
  let token = '';
  const known = { baseUrl, account, headers: {}, credentials: granted.learned };
  return createToolApi(connector, known, transport, () => ({
    async now() {
      token = await granted.token();
      return headersOf(token);
    },
    async after(refused, by401) {
      // A new token would lack the same scope.
      if (!by401) return null;
      // A concurrent call may already have replaced the token.
      if (JSON.stringify(headersOf(token)) !== JSON.stringify(refused)) return headersOf(token);
      const other = await granted.tokenAfter(token);
      if (other === null) return null;
      token = other;
      return headersOf(token);
    },
  }));
}

/** For tools that exchange credentials for a token: one token per client, until it expires. */
function loggedIn(
  logIn: (bare: ToolApi) => Promise<{ headers: Headers; seconds: number }>,
  bare: ToolApi,
  clock: Pick<Clock, 'now'>,
): Authorization {
  let token: { headers: Headers; until: number } | null = null;
  let fresh: Headers | null = null;

  async function logInAgain(): Promise<Headers> {
    const { headers, seconds } = await logIn(bare);
    token = { headers, until: clock.now().getTime() + seconds * 1000 - TOKEN_MARGIN_MS };
    return headers;
  }

  return {
    async now() {
      if (token !== null && token.until > clock.now().getTime()) {
        fresh = null;
        return token.headers;
      }
      fresh = await logInAgain();
      return fresh;
    },
    // The token may have been revoked early.
    after: async (refused) => (refused === fresh ? null : logInAgain()),
  };
}

function createToolApi(
  connector: Connector,
  { baseUrl, headers, account, credentials }: Connection & { credentials: Credentials },
  transport: Transport,
  authorizationOf: (bare: ToolApi) => Authorization,
): ToolApi {
  const { name } = connector;
  const unauthorized = new WeakSet<ConnectorError>();

  async function send(request: OutboundRequest): Promise<ToolAnswer & { isJson: boolean }> {
    // A write whose head is good has arrived; only who has to read its body misses what is missing there.
    const isWrite = request.method !== 'GET';
    const wanted = { maxBytes: MAX_ANSWER_BYTES, ...(isWrite && { restWithinMs: Infinity }) };
    try {
      const { status, headers: named, body, isWhole } = await transport.outbound.send(request, wanted);
      const parsed = isWhole ? parse(body) : saysJson(named) ? null : undefined;
      return { status, headers: named, body: parsed ?? null, text: body, isJson: parsed !== undefined };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const kind = error.kind === 'blocked' ? 'refused' : 'unavailable';
      throw new ConnectorError(kind, `${name} couldn't be reached: ${error.message}`);
    }
  }

  async function exchange(call: ToolCall, authorization: Headers, isLogIn = false): Promise<ToolAnswer> {
    const bare = requestOf(transport.baseUrl ?? baseUrl, call);
    const request: OutboundRequest = { ...bare, headers: { ...bare.headers, ...headers, ...authorization } };
    await transport.acquire?.(request);
    const hide = redactor(connector, credentials, { ...headers, ...authorization });
    const made = { method: request.method, url: hide(request.url), body: hide(request.body) };
    const kind = isLogIn ? { isLogIn } : {};
    let answer: ToolAnswer & { isJson: boolean };
    try {
      const work = () => send(request);
      answer = await (transport.withRoom === undefined ? work() : transport.withRoom(work));
    } catch (error) {
      await transport.onCall?.({ ...kind, request: made, status: null, headers: {}, text: '' });
      throw error;
    }
    const { status, headers: named } = answer;
    await transport.onCall?.({
      ...kind,
      request: made,
      status,
      headers: named,
      text: isLogIn && isGood(status) ? '' : hide(answer.text),
    });
    if (call.expects?.includes(answer.status)) return answer;
    if (isGood(answer.status)) {
      if (answer.isJson) return answer;
      throw new ConnectorError('unavailable', `${name} sent a response that isn't JSON.`);
    }
    const now = transport.clock.now();
    const failure = connector.failureOf?.(answer, now) ?? usualFailure(name, answer, now);
    const shown = new ConnectorError(failure.kind, hide(failure.message), failure.retryAfterSeconds);
    if (answer.status === 401) unauthorized.add(shown);
    throw shown;
  }

  const common = {
    account,
    cacheKey: transport.cacheKey ?? {},
    wroteSince: transport.wroteSince ?? (async () => false),
    found: transport.found ?? (() => {}),
    now: () => transport.clock.now(),
    wait: transport.wait ?? ((ms: number) => sleep(ms)),
  };
  const authorization = authorizationOf({ ...common, call: (call) => exchange(call, {}, true) });

  async function call(wanted: ToolCall): Promise<ToolAnswer> {
    const shown = await authorization.now();
    try {
      return await exchange(wanted, shown);
    } catch (error) {
      if (!(error instanceof ConnectorError) || error.kind !== 'bad_credentials') throw error;
      const other = await authorization.after(shown, unauthorized.has(error));
      if (other === null) throw error;
      return exchange(wanted, other);
    }
  }

  return { ...common, call };
}
