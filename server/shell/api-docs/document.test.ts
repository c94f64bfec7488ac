import { beforeAll, describe, expect, it } from 'vitest';
import { ROUTES } from '#contract/routes.ts';
import { API_PREFIX, type Route } from '#contract/route.ts';
import { exportCustomerProof, exportSiteProof, exportSiteProofPdf } from '#contract/proof.ts';
import {
  openApiOfContract,
  type OpenApi,
  type Operation,
  type Pointer,
  schemasOf,
} from '#test/harness/openapi.ts';

let openapi: OpenApi;

beforeAll(async () => {
  openapi = await openApiOfContract();
});

function operationOf({ path, method }: Route): Operation {
  const operation = openapi.paths[`${API_PREFIX}${path}`]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`The document has no ${method} ${path}`);
  return operation;
}

/** The names of the routes that answer so, as the document says. */
function routesWith(isSaid: (operation: Operation) => boolean): string[] {
  return [...ROUTES].filter(([, route]) => isSaid(operationOf(route))).map(([name]) => name);
}

const saysCode = (status: number, code: string) => (operation: Operation) =>
  operation.responses[status]?.description.includes(`\`${code}\``) === true;

interface Shown {
  /** Of the schema that it should fit. */
  at: Pointer;
  value: unknown;
}

/** Each example and default of the document, with its schema. Fields of such a name are no examples. */
function shownIn(node: unknown, at: Pointer = [], areFields = false): Shown[] {
  if (typeof node !== 'object' || node === null) return [];
  const { example, examples, default: preset, schema } = node as Record<string, unknown>;
  const own: Shown[] = [];
  if (!areFields && !Array.isArray(node)) {
    if (example !== undefined)
      own.push({ at: schema === undefined ? at : [...at, 'schema'], value: example });
    if (Array.isArray(examples)) own.push(...examples.map((value) => ({ at, value })));
    if (preset !== undefined) own.push({ at, value: preset });
  }
  const inner = Object.entries(node)
    .filter(([key]) => areFields || !['example', 'examples', 'default'].includes(key))
    .flatMap(([key, part]) => shownIn(part, [...at, key], key === 'properties' && !areFields));
  return [...own, ...inner];
}

/** Names of components that a part of the document refers to. */
const namesIn = (part: unknown) =>
  [...JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name);

describe('the OpenAPI document', () => {
  it('has examples and defaults that fit their own schemas', () => {
    const problemsOf = schemasOf(openapi);
    const all = shownIn(openapi);
    const wrong = all.flatMap(({ at, value }) => problemsOf(at, value).map((one) => [at.join(' '), one]));
    expect(wrong).toEqual([]);
    expect(all.length).toBeGreaterThan(1000);
  });

  it('lists unknown_field for all calls but those without a body that ignore what a link carries', () => {
    const ignoring = routesWith((operation) => !saysCode(422, 'unknown_field')(operation));
    expect(ignoring).toEqual([
      'askTls',
      'endOwnLinks',
      'getChoiceProgress',
      'getCustomerPage',
      'getPublicPage',
      'mailFreshLink',
    ]);
  });

  it('lists invalid_field for calls that read a header, which can be refused, too', () => {
    const reading = [...ROUTES].filter(([, { headers }]) => headers !== undefined).map(([name]) => name);
    expect(routesWith(saysCode(422, 'invalid_field'))).toEqual(expect.arrayContaining(reading));
  });

  it('lists 413 and 415 for calls that take a body or a file, and for no others', () => {
    const withBody = [...ROUTES]
      .filter(([, { body, file }]) => body !== undefined || file !== undefined)
      .map(([name]) => name);
    expect(routesWith(saysCode(413, 'body_too_large'))).toEqual(withBody);
    expect(routesWith(saysCode(415, 'unsupported_media_type'))).toEqual(withBody);
  });

  it('shows proof packs as JSON objects and PDFs as files', () => {
    const schemaOf = (route: Route, type: string) =>
      operationOf(route).responses[200]?.content?.[type]?.schema;
    for (const route of [exportCustomerProof, exportSiteProof]) {
      expect(schemaOf(route, 'application/json')).toMatchObject({ type: 'object' });
    }
    expect(schemaOf(exportSiteProofPdf, 'application/pdf')).toEqual({ type: 'string', format: 'binary' });
  });

  it('has no schema that no call refers to', () => {
    const { paths, components } = openapi;
    const used = new Set(namesIn(paths));
    for (const name of used) for (const inner of namesIn(components.schemas[name])) used.add(inner);
    expect(Object.keys(components.schemas).filter((name) => !used.has(name))).toEqual([]);
  });
});
