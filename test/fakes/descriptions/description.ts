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
  /** @returns what is wrong with the exchange, in lines; none for a valid one */
  check(exchange: Exchange): string[];
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

  function wrongs(exchange: Exchange): string[] {
    const { method, url, headers, status } = exchange;
    const [path = '', query = ''] = url.split('?', 2);
    const request = { method, path, query, headers, body: exchange.body ?? undefined };
    const operation = router.matchOperation(request);
    if (operation?.operationId === undefined) return [`${method} ${path} is not described`];
    const lines: string[] = [];
    const tell = (where: string, errors: readonly ValidationError[] | null | undefined) => {
      for (const error of errors ?? []) lines.push(`${operation.operationId} ${where}: ${said(error)}`);
    };
    const { responses = {} } = operation;
    // Recorded answers say nothing of the requests.
    if (tool !== 'campaign-monitor') {
      tell('request', validator.validateRequest(request, operation).errors);
      if (request.body !== undefined && operation.requestBody === undefined) {
        tell('request', [{ message: 'has a body' }]);
      }
    }
    const described = responses[String(status)] as { content?: unknown } | undefined;
    if (described === undefined) {
      if (status < 400) tell(`answer ${status}`, [{ message: 'is not described' }]);
    } else if (described.content !== undefined) {
      const answer = validator.validateResponse(parsed(exchange.answer), operation, status);
      tell(`answer ${status}`, answer.errors);
    }
    return lines;
  }

  const isExcepted = (line: string) => EXCEPTIONS[tool].some(({ violation }) => violation.test(line));
  return { check: (exchange) => wrongs(exchange).filter((line) => !isExcepted(line)) };
}
