import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { API_PREFIX, type Access, type Route, type RouteResponse } from '#contract/route.ts';
import { invalidField } from '../errors.ts';
import { type DownloadContent, inChunks } from './download-chunks.ts';
import { createDownloadTurns } from './download-turns.ts';
import { acceptFile } from './file-body.ts';
import type { Http } from './server.ts';

type Output<S> = S extends z.ZodType ? z.output<S> : undefined;

/** The input of a handler: the validated parts of the request, and the context from its guard. */
export type Call<R extends Route, Context> = Context & {
  params: Output<R['params']>;
  query: Output<R['query']>;
  headers: Output<R['headers']>;
  body: Output<R['body']>;
  /** The raw body; empty if there was none. */
  file: R['file'] extends { streamed: true }
    ? AsyncIterable<Buffer>
    : R['file'] extends object
      ? Buffer
      : undefined;
  request: FastifyRequest;
  reply: FastifyReply;
};

/** One guard per kind of access: returns the context of the handler, or throws. */
export type Guards<Contexts extends Record<Access, object>> = {
  [A in Access]: (request: FastifyRequest, route: Route) => Promise<Contexts[A]>;
};

/** The response of a route that returns a file. */
export interface Download {
  fileName: string;
  content: DownloadContent;
}

type Answer<R extends Route> = R['answers'] extends string
  ? Download
  : z.input<R['response']> | RouteResponse<R>;

export type Implement<Contexts extends Record<Access, object>> = <const R extends Route>(
  route: R,
  handle: (call: Call<R, Contexts[R['access']]>) => Promise<Answer<R>>,
) => void;

function fileOf({ file }: Route, { body }: FastifyRequest): unknown {
  if (file === undefined) return undefined;
  return body ?? (file.streamed === true ? [] : Buffer.alloc(0));
}

function sendDownload(
  request: FastifyRequest,
  reply: FastifyReply,
  { answers }: Route,
  { fileName, content }: Download,
): FastifyReply {
  reply
    .type(answers === 'text/csv' ? `${answers}; charset=utf-8` : (answers ?? ''))
    .header('content-disposition', `attachment; filename="${fileName}"`)
    .header('x-content-type-options', 'nosniff');
  // A HEAD does not produce the body.
  return reply.send(request.method === 'HEAD' ? '' : Readable.from(inChunks(content)));
}

function fastifyPath(path: string): string {
  return `${API_PREFIX}${path.replace(/\{(\w+)\}/g, ':$1')}`;
}

const NO_QUERY = z.strictObject({});

/** Links to the public page carry any parameters, so its calls ignore those they don't know. */
export function querySchemaOf({ access, query }: Route): z.ZodObject | undefined {
  return query ?? (access === 'visitor' || access === 'customer' ? undefined : NO_QUERY);
}

/** The fields that a body may have. */
function fieldNamesOf(body: z.ZodType | undefined): string[] {
  if (body instanceof z.ZodObject) return Object.keys(body.shape);
  if (body instanceof z.ZodUnion) return body.options.flatMap((option) => fieldNamesOf(option as z.ZodType));
  return [];
}

/** A change without a field would answer as if something had changed, or ask for one field of several. */
function rejectEmptyChange({ access, method, body }: Route, given: unknown): void {
  if (method !== 'PATCH' || access === 'anyone') return;
  const isEmpty = typeof given === 'object' && given !== null && Object.keys(given).length === 0;
  const names = isEmpty ? fieldNamesOf(body) : [];
  if (names.length > 1) throw invalidField('body', `body: send at least one of ${names.join(', ')}.`);
}

/**
 * Registers routes of the contract: the one place that combines schema, guard, handler and status.
 */
export function createImplement<Contexts extends Record<Access, object>>(
  http: Http,
  guards: Guards<Contexts>,
  options: {
    operationIds: ReadonlyMap<Route, string>;
    checkResponses: boolean;
    /** Runs a handler with its actor in context. */
    runAsActor: <T>(context: object, work: () => Promise<T>) => Promise<T>;
  },
): Implement<Contexts> {
  const contexts = new WeakMap<FastifyRequest, object>();
  const inTurn = createDownloadTurns();
  return (route, handle) => {
    const querystring = querySchemaOf(route);
    const guard = guards[route.access] as (request: FastifyRequest, route: Route) => Promise<object>;
    const putOn = (scope: Http) =>
      scope.route({
        method: route.method,
        url: fastifyPath(route.path),
        schema: {
          operationId: options.operationIds.get(route) ?? route.summary,
          tags: [route.tag],
          summary: route.summary,
          ...(route.description === undefined ? {} : { description: route.description }),
          ...(route.params === undefined ? {} : { params: route.params }),
          ...(querystring === undefined ? {} : { querystring }),
          ...(route.headers === undefined ? {} : { headers: route.headers }),
          ...(route.body === undefined ? {} : { body: route.body }),
          response: { [route.status]: route.response },
        },
        config: { route },
        // Before validation: unauthorized callers get no hints about the schema, and their file is not read.
        [route.file === undefined ? 'preValidation' : 'onRequest']: async (request: FastifyRequest) => {
          contexts.set(request, await guard(request, route));
          rejectEmptyChange(route, request.body);
        },
        handler: async (request, reply) => {
          const call = {
            ...contexts.get(request),
            params: request.params,
            query: request.query,
            headers: request.headers,
            body: request.body,
            file: fileOf(route, request),
            request,
            reply,
          };
          const work = () => options.runAsActor(call, () => handle(call as never));
          const answer = await (route.answers === undefined ? work() : inTurn(reply.raw, work));
          reply.code(route.status).header('cache-control', 'no-store');
          if (route.status === 204) return reply.send();
          if (route.answers !== undefined) return sendDownload(request, reply, route, answer as Download);
          return options.checkResponses ? route.response.parse(answer) : answer;
        },
      });
    if (route.file === undefined) putOn(http);
    else acceptFile(http, route.file, putOn);
  };
}
