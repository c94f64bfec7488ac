import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { AddressInfo } from 'node:net';
import type { ToolTarget } from '#contract/actions.ts';
import type { FakeOAuth } from './fake-oauth.ts';
import type { Credentials, Resource, ResourceKind } from '#server/connectors/connector.ts';
import type { FakeWebhooks } from './fake-webhooks.ts';
import { beStrict, type Strict, type Strictness } from './strict.ts';

/** One request that a fake got. */
export interface Seen {
  method: string;
  /** With its query. */
  url: string;
  headers: Record<string, string>;
  /** Parsed JSON, the fields of a form, or null. */
  body: unknown;
}

/** `hang` never answers, `cut` closes the line, `garbage` is no HTTP, `broken` closes it within the body of a good answer. */
export type Trouble =
  | { status: number; headers?: Record<string, string>; body?: string }
  | 'hang'
  | 'cut'
  | 'garbage'
  | 'broken';

/**
 * What a fake tool holds about one address, by the ids that the connector gives its resources. Suppression groups are
 * those that hold mail back from the person.
 */
export interface Held extends Partial<Record<ToolTarget, string[]>> {
  unsubscribed: boolean;
}

export interface FakePerson {
  email: string;
  state: 'subscribed' | 'unsubscribed' | 'unclear';
}

/** A stateful stand-in for one account of an email tool: it keeps what it is told, pages, limits and fails as the tool does. */
export interface FakeTool {
  /** Stands for the connector's base URL. */
  url: string;
  credentials: Credentials;
  wrongCredentials: Credentials;
  accountName: string;
  /** Its login, where the tool has one. */
  oauth?: FakeOAuth;
  /** Newest last. */
  seen: Seen[];
  /** The next answers are these, then it is well again. */
  trouble(trouble: Trouble, times?: number): void;
  /** What was to go wrong and has not yet does not. */
  calm(): void;
  /** Asked about each request, before it is answered: how it fails, or null where it does not. */
  rule(rule: (seen: Seen) => Trouble | null): void;
  /** Makes so many of a kind; gives them as the connector should. */
  addResources(kind: ResourceKind, count: number): Resource[];
  /** Gives one of its resources a name that people would give it. */
  rename?(kind: ResourceKind, id: string, name: string): void;
  /** A person who is in nothing and may be mailed. */
  addContact(email: string): void;
  /** Puts people into one of its lists or tags. */
  addPeople(kind: 'lists' | 'tags', id: string, people: readonly FakePerson[]): void;
  /** What a custom field of somebody holds; null where nothing does. */
  fieldOf(email: string, field: Resource): string | null;
  /** null: nobody. */
  holds(email: string): Held | null;
  /** Those that were registered there, where the tool has webhooks. */
  webhooks?: FakeWebhooks;
  /** What the calls, and its own answers, have against the tool's description; missing where there is none. */
  violations?: readonly string[];
  sources?: Strict['sources'];
  close(): Promise<void>;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The answer is not the tool's own. */
    isTrouble: boolean;
  }
}

/**
 * The part of every fake that no tool does differently.
 * @param routes puts the tool's own on the server
 * @param strictness the tool's description, where there is one: then `violations` are kept
 */
export async function startFakeServer(
  routes: (http: FastifyInstance) => void,
  strictness?: Strictness,
): Promise<
  Pick<FakeTool, 'url' | 'seen' | 'trouble' | 'calm' | 'rule' | 'close' | 'violations' | 'sources'>
> {
  const seen: Seen[] = [];
  const troubles: Trouble[] = [];
  let rule: (seen: Seen) => Trouble | null = () => null;
  const http = fastify({ forceCloseConnections: true, routerOptions: { maxParamLength: 500 } });

  http.decorateRequest('isTrouble', false);

  http.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
  // A DELETE with the type of JSON and no body is usual.
  http.removeContentTypeParser('application/json');
  http.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, String(body) === '' ? null : JSON.parse(String(body)));
    } catch (error) {
      done(error as Error);
    }
  });

  http.addHook('preHandler', async (request: FastifyRequest, reply: FastifyReply) => {
    const one: Seen = {
      method: request.method,
      url: request.url,
      headers: request.headers as Record<string, string>,
      body: request.body ?? null,
    };
    seen.push(one);
    const trouble = troubles.shift() ?? rule(one);
    if (trouble === null) return;
    request.isTrouble = true;
    if (typeof trouble === 'object') {
      const { status, headers = {}, body = '' } = trouble;
      return reply.code(status).headers(headers).serializer(String).send(body);
    }
    reply.hijack();
    if (trouble === 'cut') request.raw.socket.destroy();
    if (trouble === 'broken') {
      request.raw.socket.end(
        'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"id":',
      );
    }
    if (trouble === 'garbage') request.raw.socket.end('This is not HTTP\r\n\r\n');
  });
  routes(http);
  const strict = strictness && (await beStrict(http, strictness));
  await http.listen({ port: 0, host: '127.0.0.1' });
  const { port } = http.server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    ...strict,
    trouble(trouble, times = 1) {
      for (let time = 0; time < times; time += 1) troubles.push(trouble);
    },
    calm() {
      troubles.length = 0;
    },
    rule(next) {
      rule = next;
    },
    close: async () => {
      await http.close();
    },
  };
}
