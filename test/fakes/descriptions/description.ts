import { type Document, OpenAPIBackend } from 'openapi-backend';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXCEPTIONS } from './exceptions.ts';
import type { Source } from './sources.ts';

/** One call to a tool with what came back. */
export interface Exchange {
  /** In capitals. */
  method: string;
  /** Below the tool's base URL, with the query. */
  url: string;
  headers: Record<string, string>;
  /** Parsed; null where there is none. */
  body: unknown;
  status: number;
  answer: string;
}

/** What a tool says about itself, to hold calls and answers against. */
export interface Description {
  /** There is such an operation at all. */
  describes(exchange: Pick<Exchange, 'method' | 'url'>): boolean;
  /** @returns what is wrong with what was asked, in lines; none for a valid request, or an unknown operation */
  checkRequest(exchange: Exchange): string[];
  /** The same of what was answered. */
  checkAnswer(exchange: Exchange): string[];
  /** A good answer with what was recorded of it and it lacks: of the right type, and empty. */
  complete?(exchange: Exchange, body: unknown): unknown;
  /** By operation, in the form `get /lists/{id}`: where its answer is known from. */
  sources: Readonly<Record<string, Source>>;
}

/** A file that `distil.ts` made. */
export type Distilled = keyof typeof EXCEPTIONS;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const EMAIL = /^\S+@\S+\.\w+$/;

type Schema = Record<string, unknown>;

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Objects say what they hold; what has no place in one is a mistake, and a description seldom says so. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (!isSchema(value)) return value;
  const inside = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, closed(one)]));
  const isOpen = 'additionalProperties' in value || 'anyOf' in value || 'oneOf' in value;
  const hasNames = isSchema(value['properties']) && Object.keys(value['properties']).length > 0;
  return value['type'] === 'object' && hasNames && !isOpen
    ? { ...inside, additionalProperties: false }
    : inside;
}

function read(name: Distilled): Document {
  return closed(JSON.parse(readFileSync(join(import.meta.dirname, `${name}.json`), 'utf8'))) as Document;
}

interface Answer {
  content?: Record<string, { schema: unknown }>;
}

interface ValidationError {
  instancePath?: string;
  message?: string;
  params?: Record<string, unknown>;
}

const said = ({ instancePath = '', message = '', params = {} }: ValidationError) =>
  [instancePath, message, params['additionalProperty'] ?? params['allowedValues'] ?? '']
    .map(String)
    .filter((part) => part !== '')
    .join(' ');

const parsed = (text: string): unknown => (text === '' ? null : (JSON.parse(text) as unknown));

function emptyOf(schema: Schema): unknown {
  const { type } = schema;
  const [first] = Array.isArray(type) ? (type.includes('null') ? [] : type) : [type];
  if (first === 'string') return '';
  if (first === 'integer' || first === 'number') return 0;
  if (first === 'boolean') return false;
  if (first === 'array') return [];
  return first === 'object' ? completed({}, schema) : null;
}

function completed(value: unknown, schema: unknown): unknown {
  if (!isSchema(schema)) return value;
  if (Array.isArray(value)) return value.map((one) => completed(one, schema['items']));
  if (!isSchema(value)) return value;
  const { properties = {}, required = [] } = schema;
  const inside = Object.entries(properties as Record<string, Schema>).flatMap(([name, one]) => {
    if (name in value) return [[name, completed(value[name], one)]];
    return (required as string[]).includes(name) ? [[name, emptyOf(one)]] : [];
  });
  return { ...value, ...Object.fromEntries(inside) } as unknown;
}

/** An operation of which something was recorded says when, and as what. */
interface Recorded {
  'x-recorded'?: { date: string; as: string };
}

function sourcesOf({ info, paths = {} }: Document): Record<string, Source> {
  const { 'x-source': source } = info as typeof info & { 'x-source'?: Source };
  if (source === undefined) throw new Error(`${info.title} does not say where it is from`);
  const entries = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods ?? {}).map(([method, operation]): [string, Source] => {
      const { 'x-recorded': recorded } = operation as Recorded;
      const of = recorded && { date: recorded.date, where: `${source.where}, ${recorded.as}` };
      return [`${method} ${path}`, { ...source, ...of }];
    }),
  );
  return Object.fromEntries(entries);
}

export async function openDescription(name: Distilled): Promise<Description> {
  const definition = read(name);
  const backend = new OpenAPIBackend({
    definition,
    quick: true,
    ajvOpts: { strict: false, allErrors: true },
    customizeAjv: (ajv) =>
      ajv
        .addFormat('uuid', UUID)
        .addFormat('email', EMAIL)
        .addFormat('uri', { validate: (text: string) => URL.canParse(text) })
        .addFormat('url', { validate: (text: string) => URL.canParse(text) })
        .addFormat('date', /^\d{4}-\d\d-\d\d$/)
        .addFormat('date-time', { validate: (text: string) => !Number.isNaN(Date.parse(text)) }),
  });
  await backend.init();
  const { router, validator } = backend;

  function operationOf({ method, url, headers, body }: Exchange) {
    const [path = '', query = ''] = url.split('?', 2);
    const request = { method, path, query, headers, body: body ?? undefined };
    return { request, operation: router.matchOperation(request) };
  }

  /** What the operation answers with a status, and whether the call asks for some of its fields only. */
  function answerOf(exchange: Exchange) {
    const { operation, request } = operationOf(exchange);
    const { responses = {} } = operation ?? {};
    const anyGood = exchange.status < 300 ? '2XX' : '';
    const answer = (responses[String(exchange.status)] ?? responses[anyGood]) as Answer | undefined;
    return { operation, answer, isCut: new URLSearchParams(request.query).has('fields') };
  }

  const isExcepted = (line: string) => EXCEPTIONS[name].some(({ violation }) => violation.test(line));
  const linesOf = (where: string, errors: readonly ValidationError[] | null | undefined) =>
    (errors ?? []).map((error) => `${where}: ${said(error)}`).filter((line) => !isExcepted(line));

  return {
    sources: sourcesOf(definition),
    describes: ({ method, url }) =>
      operationOf({ method, url, headers: {}, body: null, status: 0, answer: '' }).operation !== undefined,
    checkRequest(exchange) {
      const { request, operation } = operationOf(exchange);
      if (operation?.operationId === undefined || name.startsWith('answers/')) return [];
      const where = `${operation.operationId} request`;
      const hasNoPlace = request.body !== undefined && operation.requestBody === undefined;
      return [
        ...linesOf(where, validator.validateRequest(request, operation).errors),
        ...(hasNoPlace ? linesOf(where, [{ message: 'has a body' }]) : []),
      ];
    },
    checkAnswer(exchange) {
      const { status } = exchange;
      const { operation, answer, isCut } = answerOf(exchange);
      if (operation?.operationId === undefined) return [];
      const where = `${operation.operationId} answer ${status}`;
      if (answer === undefined) {
        return status < 400 ? linesOf(where, [{ message: 'is not described' }]) : [];
      }
      if (answer.content === undefined) return [];
      const { errors } = validator.validateResponse(parsed(exchange.answer), operation, status);
      return linesOf(where, errors).filter((line) => !isCut || !line.includes('must have required property'));
    },
    complete(exchange, body) {
      const { answer, isCut } = answerOf(exchange);
      const isRecorded = name.startsWith('answers/') && exchange.status < 300;
      return isRecorded && !isCut ? completed(body, answer?.content?.['application/json']?.schema) : body;
    },
  };
}
