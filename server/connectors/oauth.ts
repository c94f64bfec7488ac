import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Outbound, OutboundError, type OutboundRequest } from '#server/platform/outbound.ts';
import type { Clock } from '#server/platform/clock.ts';
import { retryAfterSeconds } from '#server/platform/retry-after.ts';
import { type Connector, ConnectorError, type Credentials, type OAuth } from './connector.ts';

/** The product as a tool knows it. */
export interface OAuthApp {
  clientId: string;
  clientSecret: string;
  /** Where the tool sends owners back to. */
  redirectUri: string;
}

/** What an owner has given us by logging in at a tool. */
export interface Grant {
  accessToken: string;
  /** null: there is none, or it has been used up. */
  refreshToken: string | null;
  /** Milliseconds since 1970; null: never. */
  expiresAt: number | null;
  /** What the grant was made with, and `learn` found out. */
  learned: Credentials;
}

export interface TokenEndpoint {
  outbound: Outbound;
  clock: Pick<Clock, 'now'>;
  /** Its origin replaces the tool's own ones (`CONNECTOR_<NAME>_URL`). */
  baseUrl?: string | undefined;
}

/** The tool has ended what an owner granted: only the owner can grant it again. */
export class GrantEnded extends ConnectorError {
  constructor(name: string) {
    super('bad_credentials', `${name} has ended the connection. Reconnect it.`);
  }
}

export interface OAuthClient {
  connector: Connector;
  oauth: OAuth;
  app: OAuthApp;
}

function at(url: string, baseUrl: string | undefined): string {
  if (baseUrl === undefined) return url;
  const { pathname, search } = new URL(url);
  return `${new URL(baseUrl).origin}${pathname}${search}`;
}

/** RFC 7636: what a code is bound to. */
export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

/**
 * Where an owner logs in at the tool and lets us in.
 * @param verifier sent along as its challenge where the tool takes one
 */
export function authorizeUrl(
  { oauth, app }: OAuthClient,
  {
    state,
    verifier,
    given,
    baseUrl,
  }: { state: string; verifier: string; given: Credentials; baseUrl?: string | undefined },
): string {
  const parameters = {
    ...oauth.authorizeWith,
    client_id: app.clientId,
    redirect_uri: app.redirectUri,
    ...(oauth.scopes.length === 0 ? {} : { scope: oauth.scopes.join(oauth.scopeSeparator) }),
    state,
    ...(oauth.hasPkce ? { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' } : {}),
  };
  // Not every tool reads a plus as a space.
  const query = new URLSearchParams(parameters).toString().replaceAll('+', '%20');
  return `${at(oauth.addresses(given).authorize, baseUrl)}?${query}`;
}

const tokens = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).nullish(),
  expires_in: z.number().nullish().catch(null),
});

const failure = z.object({ error: z.string().optional(), status: z.string().optional().catch(undefined) });

/** RFC 6749, 5.2; HubSpot says it in words of its own. */
const ENDED = new Set(['invalid_grant', 'BAD_REFRESH_TOKEN', 'BAD_AUTH_CODE']);

function failureOf(
  { name, envName }: Connector,
  { status, headers, body }: { status: number; headers: Readonly<Record<string, string>>; body: unknown },
  now: Date,
): ConnectorError {
  const retryAfter = retryAfterSeconds(headers['retry-after'], now);
  if (status === 429)
    return new ConnectorError('rate_limited', `${name} allows no more calls right now (429).`, retryAfter);
  if (status >= 500 || status === 408) {
    return new ConnectorError('unavailable', `${name} answered with an error (${status}).`, retryAfter);
  }
  const told = failure.safeParse(body).data;
  const code = told?.error ?? told?.status ?? '';
  if (ENDED.has(code)) return new GrantEnded(name);
  const plain = code.replaceAll(/\W/g, '').slice(0, 60) || String(status);
  // Nothing that an owner could mend: the connection is good again once the app is.
  if (status === 401 || /client|scope|redirect|grant_type/i.test(code)) {
    return new ConnectorError(
      'unavailable',
      `${name} rejected this server's app (${plain}). The person who runs the server should check CONNECTOR_${envName}_CLIENT_ID and _SECRET.`,
    );
  }
  return new ConnectorError('bad_credentials', `${name} didn't give access (${plain}).`);
}

async function send(
  connector: Connector,
  endpoint: TokenEndpoint,
  request: OutboundRequest,
): Promise<unknown> {
  const { name } = connector;
  const answer = await endpoint.outbound.send(request).catch((error: unknown) => {
    if (!(error instanceof OutboundError)) throw error;
    const kind = error.kind === 'blocked' ? 'refused' : 'unavailable';
    throw new ConnectorError(kind, `${name} couldn't be reached: ${error.message}`);
  });
  let body: unknown;
  try {
    body = JSON.parse(answer.body);
  } catch {
    body = null;
  }
  if (answer.status < 200 || answer.status >= 300) {
    throw failureOf(connector, { ...answer, body }, endpoint.clock.now());
  }
  if (body === null) throw new ConnectorError('unavailable', `${name} sent a response that isn't JSON.`);
  return body;
}

function tokenRequest({ tokenCall }: OAuth, url: string, fields: Record<string, string>): OutboundRequest {
  const headers = { accept: 'application/json', 'user-agent': 'Sayso (email preference centre)' };
  const form = new URLSearchParams(fields).toString();
  switch (tokenCall) {
    case 'query':
      return { method: 'POST', url: `${url}?${form}`, headers, body: '' };
    case 'json':
      return {
        method: 'POST',
        url,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(fields),
      };
    case 'form':
      return {
        method: 'POST',
        url,
        headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
        body: form,
      };
  }
}

/** @returns the tokens of an answer, and the answer */
async function askForTokens(
  client: OAuthClient,
  endpoint: TokenEndpoint,
  given: Credentials,
  fields: Record<string, string>,
) {
  const { connector, oauth } = client;
  const url = at(oauth.addresses(given).token, endpoint.baseUrl);
  const answer = await send(connector, endpoint, tokenRequest(oauth, url, fields));
  const read = tokens.safeParse(answer);
  if (!read.success) {
    throw new ConnectorError('unavailable', `${connector.name} sent a response we couldn't read.`);
  }
  const { access_token, refresh_token = null, expires_in } = read.data;
  const seconds = oauth.refreshWith === null ? null : expires_in || oauth.lifeSeconds;
  return {
    answer,
    accessToken: access_token,
    refreshToken: refresh_token,
    expiresAt: seconds === null ? null : endpoint.clock.now().getTime() + seconds * 1000,
  };
}

const clientFields = ({ clientId, clientSecret }: OAuthApp) => ({
  client_id: clientId,
  client_secret: clientSecret,
});

/**
 * Trades the code that an owner came back with.
 * @param verifier what its challenge was made of
 * @param given what the owner gave along at first (`takes`)
 * @throws ConnectorError; GrantEnded for a code that was used before, is too old, or not ours
 */
export async function exchangeCode(
  client: OAuthClient,
  endpoint: TokenEndpoint,
  { code, verifier, given }: { code: string; verifier: string; given: Credentials },
): Promise<Grant> {
  const { connector, oauth, app } = client;
  const { answer, ...found } = await askForTokens(client, endpoint, given, {
    grant_type: 'authorization_code',
    ...clientFields(app),
    redirect_uri: app.redirectUri,
    code,
    ...(oauth.hasPkce ? { code_verifier: verifier } : {}),
    ...oauth.exchangeWith,
  });
  if (oauth.refreshWith !== null && found.refreshToken === null) {
    throw new ConnectorError(
      'refused',
      `${connector.name} only gave short-term access. Allow refresh tokens for its app.`,
    );
  }
  const get = (url: string, authorization: string) =>
    send(connector, endpoint, {
      method: 'GET',
      url: at(url, endpoint.baseUrl),
      headers: { accept: 'application/json', 'user-agent': 'Sayso (email preference centre)', authorization },
      body: '',
    });
  const learned = (await oauth.learn?.({ answer, given, get })) ?? {};
  return { ...found, learned };
}

/**
 * Fetches a new access token. Most tools give a new refresh token with it, and the old one ends.
 * @throws ConnectorError; GrantEnded when only the owner can go on
 */
export async function refreshGrant(
  client: OAuthClient,
  endpoint: TokenEndpoint,
  grant: Grant,
): Promise<Grant> {
  const { connector, oauth, app } = client;
  if (grant.refreshToken === null || oauth.refreshWith === null) throw new GrantEnded(connector.name);
  const { answer: _, ...found } = await askForTokens(client, endpoint, grant.learned, {
    grant_type: 'refresh_token',
    ...(oauth.refreshWith.includes('client') ? clientFields(app) : {}),
    ...(oauth.refreshWith.includes('redirect_uri') ? { redirect_uri: app.redirectUri } : {}),
    refresh_token: grant.refreshToken,
  });
  // Who gives no new one lets us keep the old one.
  return { ...found, refreshToken: found.refreshToken ?? grant.refreshToken, learned: grant.learned };
}
