import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiKey } from '#contract/api-keys.ts';
import { errorBody } from '#contract/errors.ts';
import { API_PREFIX } from '#contract/route.ts';
import { createIntegration } from '#contract/integrations.ts';
import { saveLists } from '#contract/public-preferences.ts';
import { ROUTES } from '#contract/routes.ts';
import { type BrevoFake, startBrevoFake } from '#test/fakes/tools/brevo.ts';
import { inputsOf, type Mood } from '#test/harness/fuzz.ts';
import { buildMember } from '#test/harness/members.ts';
import { type OpenApi, type Operation, schemasOf } from '#test/harness/openapi.ts';
import { type Caller, startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { scaled } from '#test/harness/scale.ts';
import { buildCustomer, buildWebhook, buildWorld, openAsProven, type World } from '#test/harness/world.ts';

/* Whatever the OpenAPI document says that a call takes, and much that it doesn't, as five callers. */

const SEED = Number(process.env['FUZZ_SEED'] ?? randomInt(1_000_000));
const CALLS_OF_OTHERS = scaled(2);
const CALLS_OF_THESE = scaled(8);
const MOODS: readonly Mood[] = ['valid', 'boundary', 'hostile'];

/** They take away what the others call with. */
const LAST = [
  'logOut',
  'endSession',
  'endOtherSessions',
  'removeMember',
  'changeMember',
  'leaveOrganization',
  'revokeApiKey',
  'deleteAccount',
];

let product: TestProduct;
let brevo: BrevoFake;
let openapi: OpenApi;
let world: World;
let callers: Record<string, Caller>;
let problemsOf: ReturnType<typeof schemasOf>;
let inputs: ReturnType<typeof inputsOf>;
/** What was seen in answers, by the path that answered. */
const seen = new Map<string, string[]>();

beforeAll(async () => {
  // Elsewhere than in tests, answers are sent as they are.
  brevo = await startBrevoFake();
  const env = { DNS_SERVERS: '127.0.0.1:9', CONNECTOR_BREVO_URL: brevo.url };
  product = await startTestProduct({ env: { ...env, NODE_ENV: 'development' } });
  openapi = (await (await fetch(`${product.url}/api/openapi.json`)).json()) as OpenApi;
  problemsOf = schemasOf(openapi);
  inputs = inputsOf(openapi, idsNamed);
  world = await buildWorld(product);
  await buildWebhook(product, world, { url: 'http://127.0.0.1:9/hook' });
  const connected = { provider: 'brevo', credentials: brevo.credentials };
  await product.call(createIntegration, { params: world.params, body: connected }, world.owner);
  const customer = await buildCustomer(product, world);
  let sealed = await openAsProven(product, world, customer);
  for (const subscribed of [true, false]) {
    const body = [{ notification_list_id: world.weekly.id, subscribed }];
    const saved = await product.call(saveLists, { params: { customerId: sealed }, body }, world.visitor);
    sealed = saved.customer.id;
  }
  seen.set('customerId', [sealed]);
  seen.set('organization_id', [world.params.organization_id]);
  seen.set('site_id', [world.params.site_id]);
  seen.set('users', [world.owner.id]);
  seen.set('customers', [customer.id]);
  seen.set('custom_path', [world.page.custom_path]);
  const body = { name: 'Fuzz', scopes: ['read' as const, 'customers' as const, 'write' as const] };
  const { key } = await product.call(createApiKey, { params: world.params, body }, world.owner);
  callers = {
    owner: world.owner,
    viewer: await buildMember(product, world, 'viewer'),
    'an API key': { token: key },
    visitor: world.visitor,
    nobody: {},
  };
}, 60_000);

afterAll(async () => {
  await product.stop();
  await brevo.close();
});

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: object;
}

type Documented = Operation & { parameters?: Parameter[] };

interface Named {
  name: string;
  /** The caller whom the call is for. */
  mainly: string;
  method: string;
  path: string;
  operation: Documented;
}

interface Input {
  url: string;
  headers: Record<string, string>;
  body?: string;
}

/** The path without what was filled in: where ids of its collection were seen. */
const collectionOf = (path: string) =>
  path
    .replace(/\/\{\w+\}$/, '')
    .split('/')
    .at(-1) ?? '';

/** IDs of the collection that stands before a parameter. */
function idsFor(path: string, name: string): string[] {
  const [before = ''] = path.split(`/{${name}}`);
  return seen.get(name) ?? seen.get(collectionOf(before)) ?? [];
}

/** IDs of what a field is named after, such as `notification_list_id`; of anything if that is nothing. */
function idsNamed(name: string): string[] {
  const ofCollection = [...seen].find(([of]) => name.includes(of.replaceAll('-', '_').replace(/s$/, '')));
  return ofCollection?.[1] ?? [...seen.values()].flat().filter(isId);
}

const isId = (value: unknown): value is string =>
  typeof value === 'string' && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(value);

function noteIds(path: string, answer: unknown): void {
  const { id, results } = (answer ?? {}) as { id?: unknown; results?: unknown };
  const all = [
    id,
    ...(Array.isArray(results) ? results.map((one) => (one as { id?: unknown } | null)?.id) : []),
  ];
  const known = seen.get(collectionOf(path)) ?? [];
  const fresh = all.filter((one): one is string => isId(one) && !known.includes(one));
  if (fresh.length > 0) seen.set(collectionOf(path), [...known, ...fresh].slice(-20));
}

function parametersOf(
  { operation, path }: Named,
  where: Parameter['in'],
  mood: Mood,
): fc.Arbitrary<Record<string, unknown>> {
  const all = (operation.parameters ?? [])
    .filter((one) => one.in === where)
    // Made up, these would be refused however well they are formed.
    .filter(({ name }) => mood !== 'valid' || (where !== 'header' && name !== 'cursor'));
  const values = all.map(({ name, schema }): [string, fc.Arbitrary<unknown>] => {
    const known = where === 'path' ? idsFor(path, name) : [];
    const any = inputs.valueOf(schema, mood, name);
    return [
      name,
      known.length === 0 ? any : fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...known) }, any),
    ];
  });
  return fc.record(Object.fromEntries(values), {
    requiredKeys: all.filter(({ required }) => required === true).map(({ name }) => name),
  });
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
// A segment of dots would be another path, and half a surrogate pair is none at all.
const segmentOf = (value: unknown) =>
  encodeURIComponent(textOf(value).toWellFormed())
    .replace(/^\.{0,2}$/, 'x')
    .slice(0, 5000);

function bodyOf({ operation }: Named, mood: Mood): fc.Arbitrary<{ type?: string; body?: string }> {
  const { content = {} } = operation.requestBody ?? {};
  const [only] = Object.entries(content);
  if (only === undefined) return fc.constant({});
  const [type, { schema = {}, example }] = only;
  if (type !== 'application/json') {
    const file = fc.oneof(fc.constant('email,name\nnora@example.com,Nora\n'), fc.string({ maxLength: 2000 }));
    return file.map((body) => ({ type, body }));
  }
  const fitting = fc
    .oneof(inputs.exampleOf(example, schema, mood), inputs.valueOf(schema, mood, ''))
    .map((value) => ({ type, body: JSON.stringify(value) }));
  const broken = fc.constantFrom<{ type?: string; body?: string }>(
    {},
    { type },
    { type, body: '{' },
    { type, body: '[]' },
    { type: 'text/xml', body: '<a/>' },
    { type, body: JSON.stringify('x'.repeat(300_000)) },
    { type, body: '{"no_such_field":1}' },
  );
  return mood === 'hostile' ? fc.oneof({ weight: 4, arbitrary: fitting }, broken) : fitting;
}

function inputOf(named: Named, mood: Mood): fc.Arbitrary<Input> {
  const parts = [
    parametersOf(named, 'path', mood),
    parametersOf(named, 'query', mood),
    parametersOf(named, 'header', mood),
    bodyOf(named, mood),
  ] as const;
  return fc.tuple(...parts).map(([path, query, header, { type, body }]) => {
    const filled = named.path.replace(/\{(\w+)\}/g, (_, name: string) => segmentOf(path[name]));
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]) => [name, textOf(value).toWellFormed()]),
    );
    const headers = Object.entries(header)
      .map(([name, value]): [string, string] => [
        name,
        textOf(value)
          .replace(/[^\x20-\x7e]/g, '')
          .slice(0, 2000),
      ])
      .filter(([name]) => name !== 'x-site-domain');
    return {
      url: `${filled}${search.size > 0 ? `?${search}` : ''}`.slice(0, 12_000),
      headers: { ...Object.fromEntries(headers), ...(type !== undefined && { 'content-type': type }) },
      ...(body !== undefined && { body }),
    };
  });
}

/** What each caller sends, in each mood; the one whom the call is for sends more. */
function* inputsTo(named: Named, seed: number): Generator<{ who: string; as: Caller; input: Input }> {
  for (const [who, as] of Object.entries(callers)) {
    const numRuns = who === named.mainly ? CALLS_OF_THESE : CALLS_OF_OTHERS;
    for (const mood of MOODS) {
      for (const input of fc.sample(inputOf(named, mood), { seed, numRuns })) yield { who, as, input };
    }
  }
}

async function send(
  method: string,
  { url, headers, body }: Input,
  as: Caller,
): Promise<{ status: number; type: string; text: string }> {
  const response = await fetch(`${product.url}${url}`, {
    method,
    redirect: 'manual',
    headers: {
      ...headers,
      ...(as.token !== undefined && { authorization: `Bearer ${as.token}` }),
      ...(as.host !== undefined && { 'x-site-domain': as.host }),
    },
    ...(body !== undefined && { body }),
  });
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';');
  return { status: response.status, type, text: await response.text() };
}

/** What of an answer the document does not say. */
function untruthsOf(
  { name, path, method, operation }: Named,
  answer: { status: number; type: string; text: string },
): string[] {
  const { status, type, text } = answer;
  const said = operation.responses[status];
  if (status >= 500 || said === undefined) return [`${status}: ${text.slice(0, 200)}`];
  if (said.content === undefined) return text === '' ? [] : [`${status} has a body: ${text.slice(0, 200)}`];
  if (said.content[type] === undefined) return [`${status} as ${type}`];
  const json: unknown = type === 'application/json' ? JSON.parse(text) : text;
  if (status < 300) noteIds(path, json);
  const at = ['paths', path, method.toLowerCase(), 'responses', status, 'content', type, 'schema'];
  const problems = problemsOf(at, json).map((problem) => `${name} ${status}${problem}`);
  const codes =
    status < 400 ? [] : (errorBody.safeParse(json).data?.meta.errors ?? []).map(({ code }) => code);
  const unsaid = codes.filter((code) => !said.description.includes(`\`${code}\``));
  return [...problems, ...new Set(unsaid.map((code) => `${status} ${code}`))];
}

describe('a call of the API, whatever it is given', () => {
  it('is answered as the OpenAPI document says, without a fault', async () => {
    process.stdout.write(`FUZZ_SEED=${SEED}\n`);
    const all = [...ROUTES]
      .map(([name, { path, method, access }]) => ({
        name,
        mainly: access === 'visitor' || access === 'customer' ? 'visitor' : 'owner',
        method,
        path: `${API_PREFIX}${path}`,
        operation: openapi.paths[`${API_PREFIX}${path}`]?.[method.toLowerCase()] as Documented,
      }))
      // What is read first names what is changed later, and what is deleted last.
      .toSorted((one, other) => placeOf(one) - placeOf(other));
    let calls = 0;
    const done = new Set<string>();
    const found = new Map<string, string>();
    for (const [index, named] of all.entries()) {
      await product.testDatabase.owner.query('delete from rate_limits');
      for (const { who, as, input } of inputsTo(named, SEED + index)) {
        const answer = await send(named.method, input, as);
        calls += 1;
        if (answer.status < 300) done.add(named.name);
        for (const untruth of untruthsOf(named, answer)) {
          found.set(`${named.name} ${untruth}`, `as ${who}: ${JSON.stringify(input).slice(0, 600)}`);
        }
      }
    }
    process.stdout.write(`${calls} calls of ${all.length} routes, ${done.size} of them also done\n`);
    const never = all.filter(({ name }) => !done.has(name)).map(({ name }) => name);
    process.stdout.write(`Never done: ${never.join(', ')}\n`);
    // So many that it isn't only refusals that were compared.
    expect(done.size).toBeGreaterThan(100);
    expect(Object.fromEntries(found)).toEqual({});
  }, 600_000);
});

/** Collections name what others are about; what is made is read, then changed, and at last deleted. */
function placeOf({ name, method, path }: Named): number {
  if (LAST.includes(name)) return 5;
  const isOfOne = path.endsWith('}') || /\/\{id\}\//.test(path);
  if (method === 'GET') return isOfOne ? 2 : 0;
  return method === 'POST' && !isOfOne ? 1 : method === 'DELETE' ? 4 : 3;
}
