import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import swagger from '@fastify/swagger';
import reference from '@scalar/fastify-api-reference';
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { ERROR_STATUS, errorBody, type ErrorCode } from '#contract/errors.ts';
import { needsOf, scopesOf } from '#contract/roles.ts';
import { type Access, API_PREFIX, type Route } from '#contract/route.ts';
import { appHost } from '#server/platform/config.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import { querySchemaOf } from '#server/platform/http/implement.ts';
import type { Http } from '#server/platform/http/server.ts';
import type { Services } from '#server/platform/services.ts';
import { fontFaceOf, readAssets } from '#server/shell/handbook/document.ts';
import { HANDBOOK_PATH } from '#server/shell/handbook/handbook.ts';
import { exampleOf, exampleOfError } from './examples.ts';
import { readableSchema } from './readable-schema.ts';

const REFERENCE_PATH = `${HANDBOOK_PATH}/api`;

/** Error codes that follow from a route's access. */
const CODES_OF_ACCESS: Record<Access, readonly ErrorCode[]> = {
  anyone: ['rate_limited'],
  // `forbidden`: a role, a scope, or an API key where none may call.
  user: ['token_not_valid', 'forbidden', 'not_found', 'second_factor_setup_required'],
  organization: ['token_not_valid', 'forbidden', 'not_found', 'second_factor_setup_required'],
  site: ['token_not_valid', 'forbidden', 'not_found', 'second_factor_setup_required'],
  visitor: ['not_found', 'rate_limited'],
  customer: ['not_found', 'rate_limited'],
};

const DESCRIPTION = `Everything the dashboard does goes through this API. [Handbook](${HANDBOOK_PATH}) · [Using the API](${HANDBOOK_PATH}/using-the-api) · [Open Sayso](/dashboard)

**Owner calls** send \`Authorization: Bearer <access_token>\` or, where a call lists a scope, \`Authorization: Bearer sk_...\` with one of the site's API keys. Each call states the role it needs in the organization: viewer, editor, admin or owner. Each role includes the ones before it. **Public calls** send \`x-site-domain\` with the site's host (default: the request's own host).

All error responses have the same body: \`message\`, \`data\`, and \`meta.errors\` with \`code\`, \`message\` and, if it applies, \`field\`. Every response has an \`x-request-id\` header.

An API key can make 1,200 calls a minute. After that, and when other [limits](${HANDBOOK_PATH}/using-the-api#rate-limits) are reached, calls answer 429 with \`Retry-After\` in seconds. Collections come in pages: pass \`next\` as \`cursor\` ([pagination](${HANDBOOK_PATH}/using-the-api#pagination)). A call that isn't answered with 2xx has changed nothing, with two exceptions to check [before you repeat it](${HANDBOOK_PATH}/using-the-api#errors).`;

/** The groups of the reference, in its order: what programs call first. */
const TAGS: readonly (readonly [name: string, description: string])[] = [
  ['Lists', 'What customers can receive.'],
  ['Customers', 'People, their lists, and their personal links.'],
  ['Actions', 'Rules that send each change to a tool or a URL.'],
  ['Deliveries', 'The runs of actions, and sending one again.'],
  ['Preference pages', 'Hosted pages, their drafts and versions.'],
  ['Evidence', 'The record of every choice.'],
  ['Imports', 'Customers from a file or a tool.'],
  ['Bulk changes', 'Preview and undo imports and other changes to many customers.'],
  ['Integrations', "Connected email tools, and comparing them with your customers' choices."],
  ['Dashboard', 'Activity of a site.'],
  ['Public page', 'What a preference page calls for its visitor. Needs no token.'],
  ['API keys', 'Keys for programs. Managed with an access token.'],
  ['Audit log', 'Who changed what, and what agents asked.'],
  ['Members', 'People in an organization, and invitations.'],
  [
    'Organizations',
    'Organizations and their sites. The calls for sites come in two versions that both stay: create a site at v1, change it at v1.1, and list sites at either, with the same answer.',
  ],
  ['Accounts', 'Signing up, logging in, and your own account.'],
];

function securityOf(route: Route): Record<string, string[]>[] {
  if (!['user', 'organization', 'site'].includes(route.access)) return [];
  return [{ bearer: [] }, ...(scopesOf(route).length > 0 ? [{ apiKey: [] }] : [])];
}

/** Whether the access requires a role in an organization. */
function hasRoles({ access, needs }: Route): boolean {
  return access === 'organization' || access === 'site' || needs !== undefined;
}

/** The access in words. */
function needOf(route: Route): string {
  if (!hasRoles(route)) return '';
  const scopes = scopesOf(route).map((scope) => `\`${scope}\``);
  const keys =
    scopes.length > 0 ? `An API key needs the scope ${scopes.join(' or ')}.` : "API keys can't call it.";
  const role = `Needs the role \`${needsOf(route)}\`.`;
  return `${role} ${keys}`;
}

function refusesUnknownFields(schema: z.ZodType): boolean {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return JSON.stringify(json).includes('"additionalProperties":false');
}

/** All that the call can be refused with. */
function codesOf(route: Route): Set<ErrorCode> {
  const { access, body, file, query, headers, errors = [] } = route;
  const codes = new Set<ErrorCode>([...CODES_OF_ACCESS[access], ...errors]);
  const add = (...more: ErrorCode[]) => more.forEach((code) => codes.add(code));
  if (scopesOf(route).length > 0) add('rate_limited');
  if (body !== undefined) add('bad_json');
  if (body !== undefined || file !== undefined) add('body_too_large', 'unsupported_media_type');
  if ([body, query, headers].some((part) => part !== undefined)) add('invalid_field');
  const given = [querySchemaOf(route), body].filter((schema) => schema !== undefined);
  if (given.some(refusesUnknownFields)) add('unknown_field');
  return codes;
}

function errorResponses(route: Route): Record<string, object> {
  const byStatus = Map.groupBy(codesOf(route), (code) => ERROR_STATUS[code]);
  return Object.fromEntries(
    [...byStatus].map(([status, all]) => {
      const example = exampleOfError(all, route);
      const json = {
        schema: { $ref: '#/components/schemas/Error' },
        ...(example !== undefined && { example }),
      };
      const description = all.map((code) => `\`${code}\``).join(', ');
      return [String(status), { description, content: { 'application/json': json } }];
    }),
  );
}

/** How `body` is sent: an example that is accepted, and whether it may be left out. */
function jsonBody({ body }: Route, declared: JsonBody | undefined): { requestBody?: JsonBody } {
  if (body === undefined || declared === undefined) return {};
  const json = { ...declared.content['application/json'], example: exampleOf(body) };
  return {
    requestBody: { required: !body.safeParse(undefined).success, content: { 'application/json': json } },
  };
}

function fileBody({ file }: Route): { requestBody?: object } {
  if (file === undefined) return {};
  const content = file.types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]);
  return { requestBody: { required: true, content: Object.fromEntries(content) } };
}

const SUCCESS: Record<Route['status'], string> = {
  200: 'Success',
  201: 'Created',
  202: 'Accepted. We continue in the background.',
  204: 'Success, without a body',
};

const SCHEMA_OF_FILE: Record<NonNullable<Route['answers']>, object> = {
  'text/csv': { type: 'string' },
  'application/json': { type: 'object' },
  'application/pdf': { type: 'string', format: 'binary' },
};

/** The response of a call that succeeds. */
function successOf(route: Route, declared: Success | undefined): Record<string, object> {
  const { answers, response, status } = route;
  const description = SUCCESS[status];
  if (status === 204) return { [status]: { description } };
  if (answers !== undefined) {
    return { [status]: { description, content: { [answers]: { schema: SCHEMA_OF_FILE[answers] } } } };
  }
  const json = { ...declared?.content?.['application/json'], example: exampleOf(response, 'output') };
  return { [status]: { description, content: { 'application/json': json } } };
}

interface JsonBody {
  required: boolean;
  content: Record<string, object>;
}

interface Success {
  content?: Record<string, object>;
}

interface Operation {
  description?: string;
  'x-needs-role'?: string;
  'x-internal'?: true;
  requestBody?: JsonBody;
  responses?: Record<string, Success>;
  security?: object[];
}

/** Placeholder for the nonce in the reference's document; random at each start. */
const NONCE_MARK = `nonce-${randomBytes(16).toString('hex')}`;

/** Zod, which the reference contains too, would try `new Function`, which browsers report as a CSP violation. */
const NO_EVAL = `<script nonce="${NONCE_MARK}">globalThis.__zod_globalConfig={jitless:true}</script>`;

/**
 * The reference runs only its own script, and connects only to this server. Its components create style elements and
 * attributes without a nonce; it shows no user input.
 */
function referencePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The product's colours and type on the reference's own variables. */
function lookOf(): string {
  const read = (file: string) => readFileSync(join(import.meta.dirname, '../../../web', file), 'utf8');
  // Tokens begin with plain custom properties; Tailwind reads the rest.
  const [tokens = ''] = read('ui/tokens.css').split('@theme', 1);
  const face = fontFaceOf('Inter Variable', readAssets().fonts);
  return [face, tokens, read('handbook/reference.css')].join('\n');
}

/** OpenAPI generated from the contract at `/api/openapi.json`, and the readable reference at `/docs/api`. */
export async function apiDocs(http: Http, { config }: Services): Promise<void> {
  const transform = createJsonSchemaTransform({
    skipList: [],
    zodToJsonConfig: { override: readableSchema },
  });
  const addComponents = createJsonSchemaTransformObject({ zodToJsonConfig: { override: readableSchema } });
  await http.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Sayso API',
        version: '1.0.0',
        description: DESCRIPTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: config.appUrl }],
      tags: TAGS.map(([name, description]) => ({ name, description })),
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          apiKey: { type: 'http', scheme: 'bearer', bearerFormat: 'sk_...' },
        },
        schemas: { Error: z.toJSONSchema(errorBody) as never },
      },
    },
    transform: (input) => {
      const route = (input.route.config as { route?: Route } | undefined)?.route;
      const result = transform(input);
      if (route === undefined) return { ...result, schema: { ...result.schema, hide: true } };
      return result;
    },
    transformObject: (document) => withoutUnusedSchemas(withErrors(addComponents(document))),
  });

  http.addHook('onRoute', (route) => {
    const declared = (route.config as { route?: Route } | undefined)?.route;
    if (declared !== undefined)
      DECLARED.set(`${declared.method.toLowerCase()} ${API_PREFIX}${declared.path}`, declared);
  });

  http.get(`${API_PREFIX}/openapi.json`, { schema: { hide: true } }, async () => http.swagger());

  http.all(`${API_PREFIX}/*`, { schema: { hide: true } }, async (request, reply) => {
    const methods = methodsAt(request.url);
    // With this method: a parameter is longer than any that exists.
    if (methods.length === 0 || methods.includes(request.method)) throw notFound('This call');
    const allowed = methods.join(', ');
    reply.header('allow', allowed);
    throw new AppError('method_not_allowed', `This URL has no ${request.method}. Use ${allowed}.`);
  });

  await http.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      route.constraints = { host: appHost(config) };
    });
    scope.addHook('onSend', async (_request, reply, payload) => {
      const isDocument = typeof payload === 'string' && payload.includes(NONCE_MARK);
      if (!isDocument) return payload;
      const nonce = randomBytes(16).toString('base64');
      reply.header('content-security-policy', referencePolicy(nonce));
      return payload
        .replace('<html>', '<html lang="en">')
        .replace('<head>', `<head>${NO_EVAL}`)
        .replaceAll(NONCE_MARK, nonce);
    });
    await scope.register(reference, {
      routePrefix: REFERENCE_PATH,
      configuration: {
        url: `${API_PREFIX}/openapi.json`,
        withDefaultFonts: false,
        pageTitle: 'Sayso API',
        hideClientButton: true,
        // The reference connects only to this server.
        showDeveloperTools: 'never',
        agent: { disabled: true },
        mcp: { disabled: true },
        telemetry: false,
        nonce: NONCE_MARK,
        favicon: `${HANDBOOK_PATH}/icon.svg`,
        customCss: lookOf(),
      } as never,
    });
  });
}

interface OpenApi {
  paths?: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, object> };
}

const DECLARED = new Map<string, Route>();

/** The methods of the calls at a URL; none if there is no call. */
function methodsAt(url: string): string[] {
  const [path = ''] = url.split('?', 1);
  const methods = [...DECLARED.values()]
    .filter((route) => {
      const pattern = `${API_PREFIX}${route.path}`.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+');
      return new RegExp(`^${pattern}$`).test(path);
    })
    .map(({ method }) => method);
  return [
    ...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))),
  ].toSorted();
}

function withErrors<T extends object>(openapi: T): T {
  const { paths = {} }: OpenApi = openapi;
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const route = DECLARED.get(`${method} ${path}`);
      if (route === undefined) continue;
      operation.security = securityOf(route);
      if (route.isHidden === true) operation['x-internal'] = true;
      if (hasRoles(route)) {
        operation.description = [operation.description, needOf(route)].filter(Boolean).join('\n\n');
        operation['x-needs-role'] = needsOf(route);
      }
      Object.assign(operation, jsonBody(route, operation.requestBody), fileBody(route));
      operation.responses = {
        ...successOf(route, operation.responses?.[route.status]),
        ...errorResponses(route),
      };
    }
  }
  return openapi;
}

function schemaNamesIn(part: unknown): string[] {
  return [...JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name);
}

/** Each schema of the contract comes in two forms, as it is sent and as it is answered: most are only ever one of them. */
function withoutUnusedSchemas<T extends object>(openapi: T): T {
  const { paths, components }: OpenApi = openapi;
  const { schemas = {} } = components ?? {};
  const used = new Set(schemaNamesIn(paths));
  // A set that grows while it is walked through is walked through to its end.
  for (const name of used) for (const inner of schemaNamesIn(schemas[name])) used.add(inner);
  const kept = Object.entries(schemas).filter(([name]) => used.has(name));
  return { ...openapi, components: { ...components, schemas: Object.fromEntries(kept) } };
}
