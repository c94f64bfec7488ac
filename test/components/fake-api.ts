import { ERROR_STATUS, type ErrorCode } from '#contract/errors.ts';
import { isAtLeast, needsOf, type Role } from '#contract/roles.ts';
import { API_PREFIX, type Method, type Route, type RouteResponse } from '#contract/route.ts';
import { ROUTES } from '#contract/routes.ts';
import type { AnsweredCall } from '#test/page/owner-shot.ts';
import { type Amount, madeUp, nounOf } from './made-up.ts';

/** One call that the app makes. */
export interface Call {
  route: Route;
  url: URL;
  params: Record<string, string>;
  body: unknown;
}

/** Thrown in place of an answer. */
export class Refused extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode) {
    super(code);
    this.code = code;
  }
}

/** Changes the made-up answer of a route into what this world says. */
export interface Fact {
  route: Route;
  tell(made: unknown, call: Call): unknown;
}

/** Makes a fact whose answers are typed by the contract. */
export function fact<R extends Route>(
  route: R,
  tell: (made: RouteResponse<R>, call: Call) => NoInfer<RouteResponse<R>>,
): Fact {
  return { route, tell: tell as Fact['tell'] };
}

/** The world decides what the faked server answers. */
export interface World {
  amount: Amount;
  role: Role;
  /** A later one of the same route goes on with what an earlier one told. */
  facts: readonly Fact[];
}

interface Override {
  isFor(url: string): boolean;
  answer(call: AnsweredCall): unknown;
}

const HANDBOOK_INDEX = '/docs/search.json';

const PATTERNS = [...ROUTES.values()]
  .map((route) => {
    const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const pattern = new RegExp(`^${API_PREFIX}${route.path.replace(/\{\w+\}/g, '([^/]+)')}$`);
    return { route, names, pattern };
  })
  // `/customers/count` is no customer with this id.
  .toSorted((one, other) => one.names.length - other.names.length);

function callOf(method: Method, url: URL, body: RequestInit['body']): Call | null {
  for (const { route, names, pattern } of PATTERNS) {
    const found = route.method === method ? pattern.exec(url.pathname) : null;
    if (found === null) continue;
    const params = Object.fromEntries(
      names.map((name, at) => [name, decodeURIComponent(found[at + 1] ?? '')]),
    );
    return { route, url, params, body: typeof body === 'string' ? JSON.parse(body) : null };
  }
  return null;
}

function refusal(code: ErrorCode): Response {
  const error = { code, message: 'The service is busy for a moment; try again shortly.' };
  const body = { message: error.message, data: null, meta: { errors: [error] } };
  return Response.json(body, { status: ERROR_STATUS[code], headers: { 'x-request-id': 'req-1' } });
}

/** A pattern as Playwright takes it. */
function matcherOf(pattern: string | RegExp): (url: string) => boolean {
  if (pattern instanceof RegExp) return (url) => pattern.test(url);
  const escaped = pattern.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`);
  const expression = escaped.replace(/\*\*\/?|\*/g, (stars) => (stars === '*' ? '[^/]*' : '.*'));
  return (url) => new RegExp(`^${expression}$`).test(url);
}

/** Stands in the place of the server, where the typed client sends its calls. Answers only what the contract allows. */
export class FakeApi {
  #world: World = { amount: 'none', role: 'owner', facts: [] };
  #overrides: Override[] = [];
  #away: { calls: RegExp; how: 'never' | 'refusal' | 'no connection' } | null = null;
  #listeners: ((url: string) => void)[] = [];
  #held = 0;
  /** Calls that are neither answered nor held back. */
  underWay = 0;
  /** Calls and answers that the contract does not know. */
  problems: string[] = [];

  reset(world: World): void {
    this.#world = world;
    this.#overrides = [];
    this.#away = null;
    this.#held = 0;
    this.problems = [];
  }

  /** Holds calls back for ever, or refuses them, until all is well `again`. */
  takeAway(calls: RegExp, how: 'never' | 'refusal' | 'no connection'): void {
    this.#away = { calls, how };
  }

  again(): void {
    this.#away = null;
  }

  get hasHeldCalls(): boolean {
    return this.#held > 0;
  }

  override(pattern: string | RegExp, answer: Override['answer']): void {
    this.#overrides.unshift({ isFor: matcherOf(pattern), answer });
  }

  onAnswer(listener: (url: string) => void): void {
    this.#listeners.push(listener);
  }

  /** In the place of `fetch`. */
  readonly send = async (address: string, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(address, location.origin);
    this.underWay += 1;
    try {
      const response = await this.#answer(url, init);
      init.signal?.throwIfAborted();
      for (const listener of this.#listeners) listener(url.href);
      return response;
    } finally {
      this.underWay -= 1;
    }
  };

  async #answer(url: URL, init: RequestInit): Promise<Response> {
    const method = (init.method ?? 'GET') as Method;
    if (url.pathname === HANDBOOK_INDEX) return Response.json([]);
    const call = callOf(method, url, init.body);
    if (call === null) {
      this.problems.push(`${method} ${url.pathname} is no call of the contract`);
      return refusal('not_found');
    }
    const away = this.#away;
    if (away?.calls.test(url.href) === true) {
      if (away.how === 'refusal') return refusal('unavailable');
      if (away.how === 'no connection') throw new TypeError('Failed to fetch');
      return this.#hold(init.signal);
    }
    const own = await this.#overridden(url.href, method, init);
    if (own !== null) return this.#checked(call, own);
    if (this.#isForbidden(call.route)) return refusal('forbidden');
    return this.#checked(call, this.#answerOf(call));
  }

  #answerOf(call: Call): Response {
    try {
      const { status } = call.route;
      const told = this.#told(call);
      return status === 204 ? new Response(null, { status }) : Response.json(told, { status });
    } catch (error) {
      if (error instanceof Refused) return refusal(error.code);
      throw error;
    }
  }

  /** Until the app gives up. */
  #hold(signal: AbortSignal | null | undefined): Promise<never> {
    this.#held += 1;
    this.underWay -= 1;
    return new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => {
        this.underWay += 1;
        reject(new DOMException('Aborted', 'AbortError'));
      });
    });
  }

  async #overridden(href: string, method: Method, { body, signal }: RequestInit): Promise<Response | null> {
    for (const { isFor, answer } of this.#overrides) {
      if (!isFor(href)) continue;
      let given: Response | 'continue' | null = null;
      await answer({
        request: () => ({ method: () => method, postData: () => (typeof body === 'string' ? body : null) }),
        fulfill: async ({ status = 200, json }) => void (given = Response.json(json, { status })),
        continue: async () => void (given = 'continue'),
      });
      if (given === null) return this.#hold(signal);
      return given === 'continue' ? null : given;
    }
    return null;
  }

  #isForbidden(route: Route): boolean {
    const isOfTeam = route.access === 'organization' || route.access === 'site';
    return isOfTeam && !isAtLeast(this.#world.role, needsOf(route));
  }

  #told(call: Call): unknown {
    const { route, params } = call;
    const [noun = ''] = route.path
      .split('/')
      .filter((part) => !part.startsWith('{'))
      .slice(-1);
    const made = madeUp(route.response, {
      amount: this.#world.amount,
      noun: nounOf(noun),
      row: 0,
      key: 'id',
    });
    const { id } = params;
    const about = id !== undefined && isThing(made) ? { ...made, id } : made;
    return this.#world.facts
      .filter((one) => one.route === route)
      .reduce((before, one) => one.tell(before, call), about);
  }

  /** Reports answers that break the contract. The real server never sends them, so they are faults of the test. */
  async #checked({ route }: Call, response: Response): Promise<Response> {
    if (!response.ok) return response;
    if (route.status === 204) return new Response(null, { status: 204 });
    const { error } = route.response.safeParse(await response.clone().json());
    for (const { path, message } of error?.issues ?? []) {
      this.problems.push(`The answer of ${route.method} ${route.path}: ${path.join('.')} ${message}`);
    }
    return response;
  }
}

function isThing(made: unknown): made is { id: string } {
  return typeof made === 'object' && made !== null && 'id' in made;
}
