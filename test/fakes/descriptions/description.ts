import { type Document, OpenAPIBackend } from 'openapi-backend';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXCEPTIONS } from './exceptions.ts';

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
}

export type DescribedTool = keyof typeof EXCEPTIONS;

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

function read(tool: DescribedTool): Document {
  return closed(JSON.parse(readFileSync(join(import.meta.dirname, `${tool}.json`), 'utf8'))) as Document;
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

/** @param tool whose description `distil.ts` made */
export async function openDescription(tool: DescribedTool): Promise<Description> {
  const backend = new OpenAPIBackend({
    definition: read(tool),
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

  const isExcepted = (line: string) => EXCEPTIONS[tool].some(({ violation }) => violation.test(line));
  const linesOf = (where: string, errors: readonly ValidationError[] | null | undefined) =>
    (errors ?? []).map((error) => `${where}: ${said(error)}`).filter((line) => !isExcepted(line));

  return {
    describes: ({ method, url }) =>
      operationOf({ method, url, headers: {}, body: null, status: 0, answer: '' }).operation !== undefined,
    checkRequest(exchange) {
      const { request, operation } = operationOf(exchange);
      // Recorded answers say nothing of the requests.
      if (operation?.operationId === undefined || tool === 'campaign-monitor') return [];
      const where = `${operation.operationId} request`;
      const hasNoPlace = request.body !== undefined && operation.requestBody === undefined;
      return [
        ...linesOf(where, validator.validateRequest(request, operation).errors),
        ...(hasNoPlace ? linesOf(where, [{ message: 'has a body' }]) : []),
      ];
    },
    checkAnswer(exchange) {
      const { status } = exchange;
      const { operation } = operationOf(exchange);
      if (operation?.operationId === undefined) return [];
      const where = `${operation.operationId} answer ${status}`;
      const { responses = {} } = operation;
      const described = responses[String(status)] as { content?: unknown } | undefined;
      if (described === undefined)
        return status < 400 ? linesOf(where, [{ message: 'is not described' }]) : [];
      if (described.content === undefined) return [];
      return linesOf(where, validator.validateResponse(parsed(exchange.answer), operation, status).errors);
    },
  };
}
