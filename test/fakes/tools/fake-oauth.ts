import { createHash, randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

type Fields = Readonly<Record<string, string | undefined>>;

/** What a tool does in its own way when it is asked for a login or a token. */
export interface OAuthRules {
  authorizePath: string;
  tokenPath: string;
  /** What the login page demands beside the client, the way back and the state. */
  demands: Readonly<Record<string, string>>;
  /** The scopes that the app may ask for, split as the tool splits them; null: it reads none. */
  scopes: { separator: string; known: readonly string[] } | null;
  pkce: 'demanded' | 'taken' | 'unknown';
  /** The token address reads from here and nowhere else. */
  reads: 'form' | 'json' | 'query';
  /** null: tokens do not end, and no refresh token is given. */
  refresh: { rotates: boolean; demandsClient: boolean; demandsRedirect?: boolean } | null;
  /** Of access tokens, in seconds; `told` in the answer. */
  life: { seconds: number; told: boolean };
  /** What else the answer holds. */
  alsoAnswers?(): object;
  /** A refusal in the tool's own form; as RFC 6749 has it where there is none. */
  refuse?(reply: FastifyReply, error: string, description: string): FastifyReply;
}

/** The login of a fake tool, as an owner and a test use it. */
export interface FakeOAuth {
  clientId: string;
  clientSecret: string;
  /** Newest last: grants asked of the token address, whatever became of them. */
  asked: { grant: string; isGranted: boolean }[];
  /** Its clock; a test puts its own in. */
  now: () => Date;
  /** Of the access tokens to come. */
  setLife(seconds: number): void;
  /** The owner logs in and lets the app in. @returns what comes back through the browser */
  allow(authorizeUrl: string): Promise<{ code: string; state: string; url: URL }>;
  /** The owner says no. */
  deny(authorizeUrl: string): Promise<{ error: string; state: string }>;
  /** Access tokens that are out stop working before their time. */
  endAccess(): void;
  /** Nothing can be renewed any more; what is out works until its end. */
  endRefresh(): void;
  /** The owner takes the app away: nothing that was given works any more. */
  revoke(): void;
  /** Every token that was ever given. */
  secrets(): string[];
}

interface Code {
  redirectUri: string;
  challenge: string | null;
  until: number;
}

interface Access {
  until: number | null;
  isRevoked: boolean;
}

const CODE_LIFE_MS = 60_000;

/** The part of a login at a tool that no tool does differently, with the tool's own rules. */
export class LoginFake implements FakeOAuth {
  readonly clientId = 'sayso-app-0001';
  readonly clientSecret = `app-secret-${randomBytes(8).toString('hex')}`;
  readonly asked: FakeOAuth['asked'] = [];
  now = () => new Date();
  #rules: OAuthRules;
  #life: number;
  #codes = new Map<string, Code>();
  #access = new Map<string, Access>();
  /** false: used up. */
  #refresh = new Map<string, boolean>();
  #deniesNext = false;

  constructor(rules: OAuthRules) {
    this.#rules = rules;
    this.#life = rules.life.seconds;
  }

  addRoutes(http: FastifyInstance): void {
    this.addLoginPage(http);
    http.post(this.#rules.tokenPath, (request, reply) => this.token(request, reply));
  }

  /** For tools whose token address has grants of other kinds, too. */
  addLoginPage(http: FastifyInstance): void {
    http.get(this.#rules.authorizePath, (request, reply) => this.#authorize(request, reply));
  }

  /** Addresses that nobody has to be logged in for. */
  isOpen(url: string): boolean {
    const [path = ''] = url.split('?');
    return path === this.#rules.authorizePath || path === this.#rules.tokenPath;
  }

  judge(authorization: string | undefined, scheme = 'Bearer'): 'good' | 'expired' | 'revoked' | 'unknown' {
    const token = authorization?.startsWith(`${scheme} `) ? authorization.slice(scheme.length + 1) : '';
    const access = this.#access.get(token);
    if (access === undefined) return 'unknown';
    if (access.isRevoked) return 'revoked';
    return access.until !== null && access.until <= this.now().getTime() ? 'expired' : 'good';
  }

  isGood(authorization: string | undefined, scheme = 'Bearer'): boolean {
    return this.judge(authorization, scheme) === 'good';
  }

  #authorize(request: FastifyRequest, reply: FastifyReply) {
    const asked = request.query as Fields;
    const problem = this.#problemOf(asked);
    if (problem !== null)
      return reply.code(400).send({ error: 'invalid_request', error_description: problem });
    const back = new URL(asked['redirect_uri'] ?? '');
    if (asked['state'] !== undefined) back.searchParams.set('state', asked['state']);
    if (this.#deniesNext) {
      this.#deniesNext = false;
      back.searchParams.set('error', 'access_denied');
    } else {
      const code = randomBytes(16).toString('hex');
      this.#codes.set(code, {
        redirectUri: asked['redirect_uri'] ?? '',
        challenge: asked['code_challenge'] ?? null,
        until: this.now().getTime() + CODE_LIFE_MS,
      });
      back.searchParams.set('code', code);
    }
    return reply.redirect(back.href);
  }

  #problemOf(asked: Fields): string | null {
    const { demands, scopes, pkce } = this.#rules;
    if (asked['client_id'] !== this.clientId) return 'unknown client';
    if (!URL.canParse(asked['redirect_uri'] ?? '')) return 'no way back';
    const missing = Object.entries(demands).find(([name, value]) => asked[name] !== value);
    if (missing !== undefined) return `${missing[0]} is missing`;
    if (pkce === 'demanded' && asked['code_challenge_method'] !== 'S256') return 'no challenge';
    if (pkce === 'unknown' && asked['code_challenge'] !== undefined) return 'a challenge is unknown here';
    if (scopes === null) return null;
    const wanted = (asked['scope'] ?? '').split(scopes.separator);
    const strange = wanted.find((scope) => !scopes.known.includes(scope));
    return strange === undefined ? null : `unknown scope ${strange}`;
  }

  /** The token address; tools with further grants call it for these two. */
  token(request: FastifyRequest, reply: FastifyReply) {
    const asked = this.#fieldsOf(request);
    const grant = asked['grant_type'] ?? '';
    const entry = { grant, isGranted: false };
    this.asked.push(entry);
    const problem =
      grant === 'authorization_code'
        ? this.#codeProblem(asked)
        : grant === 'refresh_token' && this.#rules.refresh !== null
          ? this.#refreshProblem(asked)
          : (['unsupported_grant_type', 'This grant is not known.'] as const);
    if (problem !== null) return this.#refuse(reply, ...problem);
    entry.isGranted = true;
    return reply.send(this.#give(grant));
  }

  #fieldsOf(request: FastifyRequest): Fields {
    const { reads } = this.#rules;
    if (reads === 'query') return request.query as Fields;
    const type = request.headers['content-type'] ?? '';
    const isRight = type.startsWith(
      reads === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
    );
    return isRight ? ((request.body ?? {}) as Fields) : {};
  }

  #clientProblem(asked: Fields): readonly [string, string] | null {
    const isOurs = asked['client_id'] === this.clientId && asked['client_secret'] === this.clientSecret;
    return isOurs ? null : ['invalid_client', 'The client is not known.'];
  }

  #codeProblem(asked: Fields): readonly [string, string] | null {
    const client = this.#clientProblem(asked);
    if (client !== null) return client;
    const code = this.#codes.get(asked['code'] ?? '');
    this.#codes.delete(asked['code'] ?? '');
    const isGood =
      code !== undefined &&
      code.until > this.now().getTime() &&
      code.redirectUri === asked['redirect_uri'] &&
      isProven(code.challenge, asked['code_verifier']);
    return isGood ? null : ['invalid_grant', 'Specified code was invalid or expired'];
  }

  #refreshProblem(asked: Fields): readonly [string, string] | null {
    const { refresh } = this.#rules;
    const client = refresh?.demandsClient === true ? this.#clientProblem(asked) : null;
    if (client !== null) return client;
    if (refresh?.demandsRedirect === true && asked['redirect_uri'] === undefined) {
      return ['invalid_request', 'redirect_uri is missing'];
    }
    const token = asked['refresh_token'] ?? '';
    if (this.#refresh.get(token) !== true) {
      return ['invalid_grant', 'Specified refresh_token was invalid or expired'];
    }
    if (refresh?.rotates === true) this.#refresh.set(token, false);
    return null;
  }

  #refuse(reply: FastifyReply, error: string, description: string) {
    if (this.#rules.refuse !== undefined) return this.#rules.refuse(reply, error, description);
    return reply.code(error === 'invalid_client' ? 401 : 400).send({ error, error_description: description });
  }

  #give(grant: string) {
    const { refresh, life } = this.#rules;
    const access_token = `access-${randomBytes(12).toString('hex')}`;
    const until = refresh === null ? null : this.now().getTime() + this.#life * 1000;
    this.#access.set(access_token, { until, isRevoked: false });
    const isNewRefresh = refresh !== null && (refresh.rotates || grant === 'authorization_code');
    const refresh_token = `refresh-${randomBytes(12).toString('hex')}`;
    if (isNewRefresh) this.#refresh.set(refresh_token, true);
    return {
      access_token,
      ...(isNewRefresh ? { refresh_token } : {}),
      ...(life.told ? { expires_in: this.#life } : {}),
      token_type: 'bearer',
      ...this.#rules.alsoAnswers?.(),
    };
  }

  setLife(seconds: number): void {
    this.#life = seconds;
  }

  async allow(authorizeUrl: string) {
    const url = await follow(authorizeUrl);
    return {
      code: url.searchParams.get('code') ?? '',
      state: url.searchParams.get('state') ?? '',
      url,
    };
  }

  async deny(authorizeUrl: string) {
    this.#deniesNext = true;
    const { searchParams } = await follow(authorizeUrl);
    return { error: searchParams.get('error') ?? '', state: searchParams.get('state') ?? '' };
  }

  endAccess(): void {
    for (const access of this.#access.values()) access.until = 0;
  }

  endRefresh(): void {
    for (const token of this.#refresh.keys()) this.#refresh.set(token, false);
  }

  revoke(): void {
    for (const access of this.#access.values()) access.isRevoked = true;
    this.endRefresh();
  }

  secrets(): string[] {
    return [this.clientSecret, ...this.#access.keys(), ...this.#refresh.keys()];
  }
}

function isProven(challenge: string | null, verifier: string | undefined): boolean {
  if (challenge === null) return verifier === undefined;
  return (
    createHash('sha256')
      .update(verifier ?? '')
      .digest('base64url') === challenge
  );
}

async function follow(authorizeUrl: string): Promise<URL> {
  const answer = await fetch(authorizeUrl, { redirect: 'manual' });
  const location = answer.headers.get('location');
  if (location === null) throw new Error(`The login was refused: ${await answer.text()}`);
  return new URL(location);
}
