import fastify from 'fastify';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { ROUTES } from '#contract/routes.ts';
import { createImplement } from '#server/platform/http/implement.ts';
import type { Services } from '#server/platform/services.ts';
import { apiDocs } from '#server/shell/api-docs/api-docs.ts';

export interface Content {
  schema?: object;
  example?: unknown;
}

export interface Operation {
  operationId: string;
  description?: string;
  'x-needs-role'?: string;
  'x-internal'?: true;
  security: object[];
  responses: Record<string, { description: string; content?: Record<string, Content> }>;
  requestBody?: { required: boolean; content: Record<string, Content> };
}

export interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { properties?: Record<string, object> }> };
}

/** The document that the product serves, made without one. */
export async function openApiOfContract(): Promise<OpenApi> {
  const http = fastify();
  http.setValidatorCompiler(() => () => true);
  http.setSerializerCompiler(() => JSON.stringify);
  await apiDocs(http, { config: { appUrl: 'http://localhost:3000' } } as Services);
  const implement = createImplement(http, {} as never, {
    operationIds: new Map([...ROUTES].map(([name, route]) => [route, name])),
    checkResponses: false,
    runAsActor: (_context, work) => work(),
  });
  for (const route of ROUTES.values()) implement(route, () => Promise.reject(new Error('Nothing answers')));
  await http.ready();
  return JSON.parse(JSON.stringify(http.swagger())) as OpenApi;
}

export type Pointer = readonly (string | number)[];

const escaped = (part: string | number) =>
  encodeURIComponent(String(part).replaceAll('~', '~0').replaceAll('/', '~1'));

/** @returns what doesn't fit when a value is held against the schema at a place of the document */
export function schemasOf(openapi: OpenApi): (at: Pointer, value: unknown) => string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addFormat('binary', true);
  ajv.addSchema(openapi, 'openapi');
  // Most schemas of fields are those of other fields, too, and compiling takes its time.
  const known = new Map<string, ValidateFunction>();
  const validatorAt = (at: Pointer) => {
    const schema = JSON.stringify(
      at.reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], openapi),
    );
    const validate = known.get(schema) ?? ajv.getSchema(`openapi#/${at.map(escaped).join('/')}`);
    if (validate === undefined) throw new Error(`There is no schema at ${at.join(' ')}`);
    known.set(schema, validate);
    return validate;
  };
  return (at, value) => {
    const validate = validatorAt(at);
    void validate(value);
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
}
