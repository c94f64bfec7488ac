import { z } from 'zod';
import type { Description, Exchange } from './description.ts';
import type { Source } from './sources.ts';

/*
 * Descriptions written by hand, for tools that publish none: the facts of a tool's requests and answers, and no more of
 * it than connectors call. Use `z.strictObject` for whatever has a fixed set of fields, so that a misspelt one is found.
 */

/** `get /lists/{id}.json`: the method, then the path below the tool's base URL. */
type Route = `${'get' | 'post' | 'put' | 'patch' | 'delete'} /${string}`;

/** As it came; a parameter that was repeated has several values. */
export type Query = Readonly<Record<string, string | string[]>>;

/** By status; null: without a body. Every good answer has to be named. */
export type Answers = Readonly<Record<number, z.ZodType | null>>;

export interface Operation {
  /** By name; a parameter that is not named is unknown. Every value comes as text, a repeated one as a list. */
  query?: Readonly<Record<string, z.ZodType>>;
  /** What a part of the path has to look like, where not every text will do: else the path is another one. */
  path?: Readonly<Record<string, z.ZodType>>;
  /** At most one of `json` and `form`; with neither, the request has no body. */
  json?: z.ZodType;
  form?: z.ZodType;
  /** May depend on what was asked for; missing where recordings tell of them. */
  answers?: Answers | ((query: Query) => Answers);
  /** By default that of the whole description. */
  source?: Source;
}

export interface WrittenTool {
  source: Source;
  /** Of parts of the path that several operations have. */
  path?: Readonly<Record<string, z.ZodType>>;
  operations: Readonly<Record<Route, Operation>>;
  /** The body of a failure, where the operation has no answer of its own for the status. */
  failure?: z.ZodType;
}

interface Compiled extends Operation {
  route: string;
  method: string;
  matches: RegExp;
  names: readonly string[];
  querySchema: z.ZodType;
}

/** A number in a query or a path. */
export const digits = (min = 0, max = Number.MAX_SAFE_INTEGER) =>
  z
    .string()
    .refine(
      (text) => /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max,
      `must be a number from ${min} to ${max}`,
    );

/** Tools take more of these than the usual pattern does. */
export const address = z.string().regex(/^\S+@\S+$/, 'must be an address');

/** A yes or a no in a query. */
export const flag = z.enum(['true', 'false']);

/** Several values in one, with a comma between them. */
export const commaList = (of: z.ZodType<string> = z.string().min(1)) =>
  z.string().refine((text) => text.split(',').every((one) => of.safeParse(one).success), 'is no such list');

const escaped = (text: string) => text.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&');

function compile([route, operation]: [string, Operation]): Compiled {
  const [method = '', path = ''] = route.split(' ');
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const matches = new RegExp(`^${escaped(path).replaceAll(/\{\w+\}/g, '([^/]+)')}$`);
  const querySchema = z.strictObject(operation.query ?? {});
  return { ...operation, route, method: method.toUpperCase(), matches, names, querySchema };
}

function queryOf(text: string): Query {
  const query = new URLSearchParams(text);
  return Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const [first = '', ...others] = query.getAll(name);
      return [name, others.length === 0 ? first : [first, ...others]];
    }),
  );
}

function problemsOf(where: string, schema: z.ZodType, value: unknown): string[] {
  const parsed = schema.safeParse(value);
  if (parsed.success) return [];
  return parsed.error.issues.map(
    ({ path, message }) => `${[where, ...path.map(String)].join('/')}: ${message}`,
  );
}

function bodyProblemsOf({ json, form }: Compiled, { headers, body }: Exchange): string[] {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  const wanted = json ?? form;
  if (wanted === undefined) return body === null ? [] : ['body: there is none here'];
  const rightType = json === undefined ? 'application/x-www-form-urlencoded' : 'application/json';
  if (body !== null && type !== rightType) return [`body: is ${type || 'of no type'} and not ${rightType}`];
  return problemsOf('body', wanted, body ?? undefined);
}

function answerProblemsOf(
  { answers }: Compiled,
  { status, answer }: Exchange,
  query: Query,
  failure?: z.ZodType,
): string[] {
  if (answers === undefined) return [];
  const named = (typeof answers === 'function' ? answers(query) : answers)[status];
  const schema = named === undefined && status >= 400 ? failure : named;
  if (schema === undefined) return status < 400 ? [`answer ${status}: is not described`] : [];
  if (schema === null) return answer === '' ? [] : [`answer ${status}: has a body`];
  let body: unknown;
  try {
    body = JSON.parse(answer);
  } catch {
    body = answer;
  }
  return problemsOf(`answer ${status}`, schema, body);
}

/** What a tool takes and answers, as somebody wrote it down. */
export function describeTool({ path: parts = {}, operations, failure, source }: WrittenTool): Description {
  // A part that is written out goes before one that may be anything.
  const all = Object.entries(operations)
    .map(compile)
    .toSorted((one, other) => one.names.length - other.names.length);
  const isAt = (operation: Compiled, path: string) => {
    const values = operation.matches.exec(path)?.slice(1);
    return (
      values?.every((value, index) => {
        const name = operation.names[index] ?? '';
        const schema = operation.path?.[name] ?? parts[name];
        return schema?.safeParse(decodeURIComponent(value)).success ?? true;
      }) ?? false
    );
  };
  const find = (method: string, path: string) => all.find((one) => one.method === method && isAt(one, path));

  function check(exchange: Exchange, work: (operation: Compiled, query: string) => string[]) {
    const [path = '', query = ''] = exchange.url.split('?', 2);
    const operation = find(exchange.method, path);
    return operation?.route === undefined
      ? []
      : work(operation, query).map((problem) => `${operation.route} ${problem}`);
  }

  return {
    sources: Object.fromEntries(all.map((one) => [one.route, one.source ?? source])),
    describes: ({ method, url }) => find(method, url.split('?', 1)[0] ?? '') !== undefined,
    checkRequest: (exchange) =>
      check(exchange, (operation, query) => {
        const queryProblems = problemsOf('query', operation.querySchema, queryOf(query));
        return [...queryProblems, ...bodyProblemsOf(operation, exchange)];
      }),
    checkAnswer: (exchange) =>
      check(exchange, (operation, query) => answerProblemsOf(operation, exchange, queryOf(query), failure)),
  };
}
