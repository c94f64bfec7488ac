import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Source } from '#test/fakes/descriptions/sources.ts';
import {
  type Distilled,
  type Description,
  type Exchange,
  openDescription,
} from '#test/fakes/descriptions/description.ts';

/*
 * Makes a fake as strict as its tool: what the tool's description has no place for (paths, parameters, fields) is
 * refused and changes nothing, and what the fake answers is held against the description as well.
 */

export interface Strictness {
  /** Descriptions that were published, and answers that were recorded: what says more comes later. */
  distilled?: readonly Distilled[];
  /** One that we wrote; a request has to be in one of all these, and right by each that knows it. */
  written?: Description;
  /** What stands before the described paths here. */
  basePath?: string;
  /** Not of this description: a login has its own pages. */
  isOutside?: (url: string) => boolean;
  /** A refusal in the tool's own form; without it, mistakes are only noted. */
  refuse?(mistake: Mistake): { status: number; body: unknown };
}

export interface Mistake {
  kind: 'unknown path' | 'bad request';
  problems: readonly string[];
}

export interface Strict {
  /** What was wrong, each once; it grows. */
  violations: readonly string[];
  /** By operation: where its answer is best known from. */
  sources: Readonly<Record<string, Source>>;
}

/** Has to come after the fake's own hooks: who may not call at all is told so first. */
export async function beStrict(
  http: FastifyInstance,
  { distilled = [], written, basePath = '', isOutside = () => false, refuse }: Strictness,
): Promise<Strict> {
  const opened = await Promise.all(distilled.map(openDescription));
  const descriptions = written === undefined ? opened : [...opened, written];
  const violations: string[] = [];
  const note = (lines: readonly string[]) => {
    violations.push(...lines.filter((line) => !violations.includes(line)));
  };
  const requestOf = (request: FastifyRequest): Exchange => ({
    method: request.method,
    url: request.url.startsWith(basePath) ? request.url.slice(basePath.length) : request.url,
    headers: request.headers as Record<string, string>,
    body: request.body ?? null,
    status: 0,
    answer: '',
  });
  const whoKnow = (exchange: Exchange) => descriptions.filter((one) => one.describes(exchange));

  function mistakeOf(exchange: Exchange): Mistake | null {
    const knowing = whoKnow(exchange);
    if (knowing.length === 0) {
      const [path] = exchange.url.split('?', 1);
      return { kind: 'unknown path', problems: [`${exchange.method} ${path} is not described`] };
    }
    const problems = knowing.flatMap((one) => one.checkRequest(exchange));
    return problems.length === 0 ? null : { kind: 'bad request', problems };
  }

  http.addHook('preHandler', async (request, reply) => {
    if (isOutside(request.url)) return;
    const mistake = mistakeOf(requestOf(request));
    if (mistake === null) return;
    note(mistake.problems);
    if (refuse === undefined) return;
    const { status, body } = refuse(mistake);
    return reply.code(status).send(body);
  });
  http.addHook('preSerialization', async (request, reply, payload: unknown) => {
    if (request.isTrouble || isOutside(request.url)) return payload;
    const exchange = { ...requestOf(request), status: reply.statusCode };
    return whoKnow(exchange).reduce((body, one) => one.complete?.(exchange, body) ?? body, payload);
  });
  http.addHook('onSend', async (request, reply, payload) => {
    if (request.isTrouble || isOutside(request.url)) return;
    const answer = typeof payload === 'string' ? payload : '';
    const exchange = { ...requestOf(request), status: reply.statusCode, answer };
    note(whoKnow(exchange).flatMap((one) => one.checkAnswer(exchange)));
  });
  const sources = Object.assign(
    {},
    written?.sources,
    ...opened.map((one) => one.sources),
  ) as Strict['sources'];
  return { violations, sources };
}
