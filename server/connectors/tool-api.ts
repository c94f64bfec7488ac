import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '#server/platform/clock.ts';
import { type Outbound, OutboundError, type OutboundRequest } from '#server/platform/outbound.ts';
import { retryAfterSeconds } from '#server/platform/retry-after.ts';
import {
  type Connector,
  ConnectorError,
  type Credentials,
  type ToolAnswer,
  type ToolApi,
  type ToolCall,
} from './connector.ts';
import { redactor } from './redact.ts';

/** A call as it was made and answered; without what says who we are, also where the tool tells it back. */
export interface MadeCall {
  request: Pick<OutboundRequest, 'method' | 'url' | 'body'>;
  status: number | null;
  headers: Readonly<Record<string, string>>;
  text: string;
}

export interface Line {
  outbound: Outbound;
  clock: Pick<Clock, 'now'>;
  /** Instead of the tool's own (`CONNECTOR_<NAME>_URL`). */
  baseUrl?: string | undefined;
  /** Waits until the account may be called. @throws ConnectorError `rate_limited` where that takes too long */
  takeTurn?(): Promise<void>;
  /** Runs a call when there is room beside the account's other ones. */
  withRoom?<T>(work: () => Promise<T>): Promise<T>;
  /** Instead of the time itself. */
  wait?: ((milliseconds: number) => Promise<void>) | undefined;
  /** Hears of every call before its answer is used. */
  onCall?(call: MadeCall): void | Promise<void>;
}

function urlOf(baseUrl: string, { path, query = {} }: ToolCall): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  }
  const text = search.toString();
  return `${baseUrl.replace(/\/+$/, '')}${path}${text === '' ? '' : `?${text}`}`;
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

/** The usual sense of a status; `failureOf` of a connector goes before it. */
function usualFailure(name: string, answer: ToolAnswer, now: Date): ConnectorError {
  const { status, headers } = answer;
  const retryAfter = retryAfterSeconds(headers['retry-after'], now);
  if (status === 401 || status === 403) {
    return new ConnectorError('bad_credentials', `${name} does not accept the credentials (${status}).`);
  }
  if (status === 404 || status === 410) {
    return new ConnectorError('not_found', `${name} does not know what the call is about (${status}).`);
  }
  if (status === 429) {
    return new ConnectorError('rate_limited', `${name} was called too often (429).`, retryAfter);
  }
  if (status >= 500 || status === 408) {
    return new ConnectorError('unavailable', `${name} failed (${status}).`, retryAfter);
  }
  return new ConnectorError('refused', `${name} refused the call (${status}).`);
}

/** A call as it goes out, but for what says who we are. */
export function requestOf(baseUrl: string, call: ToolCall): OutboundRequest {
  const { body, headers } = bodyOf(call);
  return {
    method: call.method,
    url: urlOf(baseUrl, call),
    headers: { accept: 'application/json', ...headers },
    body,
  };
}

/** A page of a thousand rows, with room. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** Before it ends, a token is fetched anew. */
const TOKEN_MARGIN_MS = 60_000;

type Headers = Readonly<Record<string, string>>;

/** Opens the line to the account that the credentials are of. */
export function openToolApi(connector: Connector, credentials: Credentials, line: Line): ToolApi {
  const { baseUrl, headers, account } = connector.connect(credentials);
  const { name } = connector;
  let token: { headers: Headers; until: number } | null = null;

  async function send(request: OutboundRequest): Promise<ToolAnswer & { isJson: boolean }> {
    try {
      const { status, headers: named, body } = await line.outbound.send(request, MAX_ANSWER_BYTES);
      const parsed = parse(body);
      return { status, headers: named, body: parsed ?? null, text: body, isJson: parsed !== undefined };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const kind = error.kind === 'blocked' ? 'refused' : 'unavailable';
      throw new ConnectorError(kind, `${name} could not be reached: ${error.message}`);
    }
  }

  async function exchange(call: ToolCall, authorization: Headers, isLogIn = false): Promise<ToolAnswer> {
    const bare = requestOf(line.baseUrl ?? baseUrl, call);
    const request: OutboundRequest = { ...bare, headers: { ...bare.headers, ...headers, ...authorization } };
    await line.takeTurn?.();
    const hide = redactor(connector, credentials, { ...headers, ...authorization });
    const made = { method: request.method, url: hide(request.url), body: hide(request.body) };
    let answer: ToolAnswer & { isJson: boolean };
    try {
      const work = () => send(request);
      answer = await (line.withRoom === undefined ? work() : line.withRoom(work));
    } catch (error) {
      await line.onCall?.({ request: made, status: null, headers: {}, text: '' });
      throw error;
    }
    const { status, headers: named } = answer;
    await line.onCall?.({
      request: made,
      status,
      headers: named,
      text: isLogIn && isGood(status) ? '' : hide(answer.text),
    });
    if (call.expects?.includes(answer.status)) return answer;
    if (isGood(answer.status)) {
      if (answer.isJson) return answer;
      throw new ConnectorError('unavailable', `${name} answered something that is no JSON.`);
    }
    const now = line.clock.now();
    const failure = connector.failureOf?.(answer, now) ?? usualFailure(name, answer, now);
    throw new ConnectorError(failure.kind, hide(failure.message), failure.retryAfterSeconds);
  }

  const common = { account, now: () => line.clock.now(), wait: line.wait ?? ((ms: number) => sleep(ms)) };

  async function authorization(): Promise<Headers> {
    if (connector.logIn === undefined) return {};
    const now = line.clock.now().getTime();
    if (token === null || token.until <= now) {
      const bare: ToolApi = { ...common, call: (call) => exchange(call, {}, true) };
      const fresh = await connector.logIn(bare, credentials);
      token = { headers: fresh.headers, until: now + fresh.seconds * 1000 - TOKEN_MARGIN_MS };
    }
    return token.headers;
  }

  async function call(wanted: ToolCall): Promise<ToolAnswer> {
    const hadToken = token !== null;
    try {
      return await exchange(wanted, await authorization());
    } catch (error) {
      const isStale = hadToken && error instanceof ConnectorError && error.kind === 'bad_credentials';
      if (!isStale) throw error;
      // It may have been revoked before its time: once with a fresh one.
      token = null;
      return exchange(wanted, await authorization());
    }
  }

  return { ...common, call };
}
