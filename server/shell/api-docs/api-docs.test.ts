import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorBody } from '#contract/errors.ts';
import { createList } from '#contract/lists.ts';
import { needsOf, scopesOf } from '#contract/roles.ts';
import { API_PREFIX, type Route } from '#contract/route.ts';
import { ROUTES } from '#contract/routes.ts';
import { eachOf } from '#test/harness/each-of.ts';
import { rawRequest } from '#test/harness/http.ts';
import type { OpenApi, Operation } from '#test/harness/openapi.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWorld, type World } from '#test/harness/world.ts';

const REDOCLY = join(
  dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')),
  'bin/cli.js',
);

const TAGS_OF_PROGRAMS = ['Lists', 'Customers', 'Actions', 'Deliveries', 'Evidence', 'API keys'];

let product: TestProduct;
let text: string;
let openapi: OpenApi;

beforeAll(async () => {
  product = await startTestProduct();
  text = (await rawRequest(product, 'GET', '/api/openapi.json')).text;
  openapi = JSON.parse(text) as OpenApi;
});

afterAll(() => product.stop());

type Named = readonly [string, Route];

/** Looks at what the document says of each route that is meant. */
function eachRoute(
  isMeant: (route: Route) => boolean,
  look: (route: Named, operation: Operation | undefined) => void,
): Promise<void> {
  return eachOf<Named>(
    [...ROUTES].filter(([, route]) => isMeant(route)),
    (named) => {
      const [, { path, method }] = named;
      look(named, openapi.paths[`${API_PREFIX}${path}`]?.[method.toLowerCase()]);
    },
    ([name]) => name,
  );
}

describe('the OpenAPI document', () => {
  it('passes the linter with its strict rules, but for the URL of the server, which is that of an installation', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'sayso-openapi-'));
    try {
      writeFileSync(join(directory, 'openapi.json'), text);
      const linted = await promisify(execFile)(
        process.execPath,
        [
          REDOCLY,
          'lint',
          'openapi.json',
          '--extends=recommended-strict',
          '--skip-rule=no-server-example.com',
          '--format=json',
        ],
        {
          cwd: directory,
          maxBuffer: 32 * 1024 * 1024,
          env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
        },
      ).catch((error: { stdout: string; stderr: string }) => error);
      const { totals, problems } = JSON.parse(linted.stdout) as {
        totals: { errors: number; warnings: number };
        problems: { severity: string; ruleId: string; message: string }[];
      };
      expect(problems).toEqual([]);
      expect(totals).toMatchObject({ errors: 0, warnings: 0 });
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }, 60_000);

  it('lists every route, with who may call it and how it can be refused (spec 105)', () =>
    eachRoute(
      () => true,
      ([name, route], operation) => {
        expect(operation?.operationId).toBe(name);
        const needsToken = ['user', 'organization', 'site'].includes(route.access);
        const byKey = scopesOf(route).length > 0 ? [{ apiKey: [] }] : [];
        expect(operation?.security).toEqual(needsToken ? [{ bearer: [] }, ...byKey] : []);
        const statuses = Object.keys(operation?.responses ?? {});
        expect(statuses).toContain(String(route.status));
        expect(statuses.some((status) => status >= '400')).toBe(true);
      },
    ));

  it('states the role and the scopes that each route of a site needs', () =>
    eachRoute(
      ({ access }) => access === 'site',
      ([, route], operation) => {
        expect(operation?.['x-needs-role']).toBe(needsOf(route));
        expect(operation?.description).toContain(`Needs the role \`${needsOf(route)}\`.`);
        for (const scope of scopesOf(route)) expect(operation?.description).toContain(`\`${scope}\``);
      },
    ));

  it('has an example that each route accepts, and says whether it needs a body', () =>
    eachRoute(
      ({ body }) => body !== undefined,
      ([, { body }], operation) => {
        const request = operation?.requestBody;
        const example = request?.content['application/json']?.example;
        expect(example).toBeDefined();
        expect(body?.safeParse(example).error?.issues ?? []).toEqual([]);
        expect(request?.required).toBe(body?.safeParse(undefined).success === false);
      },
    ));

  it('shows a realistic response of each route', () =>
    eachRoute(
      ({ status, answers }) => status !== 204 && answers === undefined,
      ([, { status, tag, response }], operation) => {
        const answer = operation?.responses[status];
        const example = answer?.content?.['application/json']?.example;
        expect(response.safeParse(example).error?.issues ?? []).toEqual([]);
        expect(answer?.description).toMatch(/^(Success|Created|Accepted)/);
        // What programs call most shows no made-up values.
        if (TAGS_OF_PROGRAMS.includes(tag)) expect(JSON.stringify(example)).not.toContain('"Example');
      },
    ));

  it('shows ids and times by their formats only, without the bounds of every integer', () => {
    expect(openapi.components.schemas.List?.properties).toMatchObject({
      id: { type: 'string', format: 'uuid', examples: [expect.any(String)] },
      show_order: { type: 'integer', description: 'Position, from 0.' },
    });
    for (const noise of [
      '"format":"lowercase"',
      '[^A-Z]',
      '9007199254740991',
      'Default Response',
      '\\\\d\\\\d0[48]',
    ]) {
      expect(text).not.toContain(noise);
    }
  });

  it('shows refusals in words for programs', () => {
    const create = openapi.paths[`${API_PREFIX}${createList.path}`]?.post;
    const refusal = (status: number) =>
      errorBody.parse(create?.responses[status]?.content?.['application/json']?.example);
    expect(refusal(422).meta.errors).toEqual([
      { code: 'invalid_field', message: 'name: must not be empty.', field: 'name' },
    ]);
    expect(refusal(403).message).toBe('This API key needs the scope write. Create a key that has it.');
    expect(refusal(429)).toMatchObject({
      message: 'This API key made more than 1,200 calls this minute. Wait 12 seconds and try again.',
      data: { retry_after_seconds: 12 },
    });
  });

  it('lists 429 for each route that API keys may call: their calls are limited', () =>
    eachRoute(
      (route) => scopesOf(route).length > 0,
      (_, operation) => expect(Object.keys(operation?.responses ?? {})).toContain('429'),
    ));

  it('names other calls by their paths, since readers do not know the names in our code', () => {
    const named = [...ROUTES.keys()].filter((name) => text.includes(`\`${name}\``));
    expect(named).toEqual([]);
  });

  it('lists what programs call first, and calls for accounts last', () => {
    const { tags } = JSON.parse(text) as { tags: { name: string; description: string }[] };
    const names = tags.map(({ name }) => name);
    expect(names.slice(0, 4)).toEqual(['Lists', 'Customers', 'Actions', 'Deliveries']);
    expect(names.at(-1)).toBe('Accounts');
    expect(names.toSorted()).toEqual([...new Set([...ROUTES.values()].map(({ tag }) => tag))].toSorted());
    for (const { description } of tags) expect(description).toMatch(/\.$/);
  });

  it('leaves only one call that nobody would make out of the readable reference', () => {
    const hidden = Object.values(openapi.paths)
      .flatMap((methods) => Object.values(methods))
      .filter((operation) => operation['x-internal'] === true);
    expect(hidden.map(({ operationId }) => operationId)).toEqual(['updateAccountWithoutId']);
  });

  it('has nothing else', () => {
    const operations = Object.values(openapi.paths).flatMap((methods) => Object.values(methods));
    expect(operations.map((operation) => operation.operationId).toSorted()).toEqual(
      [...ROUTES.keys()].toSorted(),
    );
  });
});

describe('the reference', () => {
  it('is readable at /docs/api', async () => {
    const answer = await fetch(`${product.url}/docs/api`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain('text/html');
    expect(await answer.text()).toContain('/api/openapi.json');
  });
});

describe('an API address that does not exist', () => {
  it('answers each method with 404 in the common shape of errors', () =>
    eachOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], async (method) => {
      for (const path of ['/api/nothing', '/api/core/v1/', '/api/customer/v1/customers/x/y/z']) {
        const answer = await rawRequest(product, method, path);
        expect(answer).toMatchObject({ status: 404, codes: ['not_found'], json: { data: null } });
      }
    }));
});

describe('a slightly wrong call', () => {
  const of = ({ params }: World) =>
    `/api/core/v1/organizations/${params.organization_id}/sites/${params.site_id}`;

  it('with a method that the URL does not have answers 405 and lists those it has', async () => {
    const world = await buildWorld(product, 'methods');
    for (const [method, path, allow] of [
      ['PUT', `${of(world)}/lists`, 'GET, HEAD, POST'],
      ['POST', `${of(world)}/lists/${world.weekly.id}`, 'DELETE, GET, HEAD, PATCH'],
      ['DELETE', '/api/customer/v1/customers', 'POST'],
      ['GET', '/api/core/v1/users/token/refresh', 'POST'],
    ] as const) {
      const answer = await fetch(`${product.url}${path}?x=1`, { method });
      expect({ path, status: answer.status }).toEqual({ path, status: 405 });
      expect(answer.headers.get('allow')).toBe(allow);
      expect(await answer.json()).toMatchObject({ meta: { errors: [{ code: 'method_not_allowed' }] } });
    }
  });

  it('with an unknown query parameter names it: 422', async () => {
    const world = await buildWorld(product, 'parameters');
    for (const [method, path] of [
      ['GET', `${of(world)}/lists?limit=5`],
      ['GET', `${of(world)}/customers?limit=5&limits=5`],
      ['POST', `${of(world)}/lists?limits=1`],
    ] as const) {
      const body = method === 'POST' ? { body: { name: 'A list' } } : {};
      const answer = await rawRequest(product, method, path, { as: world.owner, ...body });
      expect(answer).toMatchObject({ status: 422, codes: ['unknown_field'] });
      expect(answer.json.message).toMatch(/^limits?: isn't a query parameter of this call\./);
    }
    expect((await rawRequest(product, 'GET', '/api/core/v1/app-settings?utm_source=x')).status).toBe(422);
  });

  it('with a time in another format explains it: 422', async () => {
    const world = await buildWorld(product, 'times');
    const site = of(world);
    await eachOf(
      ['yesterday', '2026-11-25', '2026-11-25T09:30:00+0100', '0000-01-01T00:00:00Z'],
      async (time) => {
        for (const [field, path] of [
          ['since', 'evidence'],
          ['since', 'deliveries'],
          ['added_since', 'customers'],
          ['changed_since', 'customers/count'],
        ] as const) {
          const url = `${site}/${path}?${field}=${encodeURIComponent(time)}`;
          const answer = await rawRequest(product, 'GET', url, { as: world.owner });
          expect(answer).toMatchObject({ status: 422, codes: ['invalid_field'], fields: [field] });
          expect(answer.json.message).toBe(`${field}: must be a time like 2026-11-25T09:30:00Z.`);
        }
        const body = { name: 'Shop', scopes: ['read'], expires_at: time };
        const key = await rawRequest(product, 'POST', `${site}/api-keys`, { as: world.owner, body });
        expect(key.json.message).toBe('expires_at: must be a time like 2026-11-25T09:30:00Z.');
      },
    );
  });

  it('with a time with an offset takes it as the same instant in UTC', async () => {
    const world = await buildWorld(product, 'offsets');
    const [site, as] = [of(world), world.owner];
    const body = { name: 'Shop', scopes: ['read'], expires_at: '2030-11-30T10:00:00+00:00' };
    const key = await rawRequest(product, 'POST', `${site}/api-keys`, { as, body });
    expect(key.json).toMatchObject({ expires_at: '2030-11-30T10:00:00.000Z' });

    const list = `${site}/lists/${world.weekly.id}`;
    const here = world.weekly.updated_at.replace('Z', '+00:00');
    const change = { name: 'Monthly news', updated_at: here };
    expect((await rawRequest(product, 'PATCH', list, { as, body: change })).status).toBe(200);
    expect((await rawRequest(product, 'PATCH', list, { as, body: change })).status).toBe(409);

    const { created_at: added } = await buildCustomer(product, world);
    const count = async (since: string) => {
      const answer = await rawRequest(product, 'GET', `${site}/customers/count?added_since=${since}`, { as });
      return (JSON.parse(answer.text) as { count: number }).count;
    };
    const inZone = (hours: number, minutes: number) =>
      new Date(Date.parse(added) + hours * 3_600_000 + minutes * 60_000)
        .toISOString()
        .replace('Z', `+${String(hours).padStart(2, '0')}:00`);
    expect(await count(encodeURIComponent(inZone(2, -1)))).toBe(1);
    expect(await count(encodeURIComponent(inZone(2, 1)))).toBe(0);
    // With a plus sign that is not encoded, as people write it.
    expect(await count(inZone(2, -1))).toBe(1);
  });

  it('with an ID of two thousand characters finds nothing: 404', async () => {
    const world = await buildWorld(product, 'overlong');
    const id = 'a'.repeat(2000);
    for (const [method, path] of [
      ['GET', `${of(world)}/lists/${id}`],
      ['PATCH', `${of(world)}/lists/${id}`],
      ['GET', `/api/customer/v1/preferences/${id}`],
      ['PUT', `/api/customer/v1/customers/${id}/lists`],
    ] as const) {
      const answer = await rawRequest(product, method, path, { as: world.owner });
      expect({ path, status: answer.status, codes: answer.codes }).toEqual({
        path,
        status: 404,
        codes: ['not_found'],
      });
    }
  });

  it('to the public page ignores query parameters that its links carry', async () => {
    const { site } = await buildWorld(product, 'campaigns');
    const headers = { 'x-site-domain': site.domain_name };
    const path = '/api/customer/v1/preferences/preferences';
    const plain = await rawRequest(product, 'GET', path, { headers });
    const merged = await rawRequest(product, 'GET', `${path}?utm_source=mail&*|EMAIL|*=x`, { headers });
    expect(merged.status).toBe(plain.status);
    expect(merged.text).toBe(plain.text);
  });

  it('that changes nothing because it names no field lists the fields: 422', async () => {
    const world = await buildWorld(product, 'fields');
    const customer = await buildCustomer(product, world);
    for (const [path, names] of [
      [`lists/${world.weekly.id}`, 'name, description, '],
      [`customers/${customer.id}`, 'email, global_unsubscribe.'],
    ] as const) {
      const url = `${of(world)}/${path}`;
      const answer = await rawRequest(product, 'PATCH', url, { as: world.owner, body: {} });
      expect(answer).toMatchObject({ status: 422, codes: ['invalid_field'], fields: ['body'] });
      expect(answer.json.message).toContain(`body: send at least one of ${names}`);
      expect((await rawRequest(product, 'PATCH', url, { body: {} })).status).toBe(401);
    }
  });
});

describe('the health check', () => {
  it('reports alive and ready', async () => {
    for (const path of ['/healthz', '/readyz']) {
      expect((await rawRequest(product, 'GET', path)).status).toBe(200);
    }
  });

  it('shows its numbers here, and in production only to a caller with the token', async () => {
    expect((await rawRequest(product, 'GET', '/metrics')).text).toContain('http_request_duration_seconds');
    const live = await startTestProduct({ env: { NODE_ENV: 'production', METRICS_TOKEN: 'let me see' } });
    try {
      expect((await rawRequest(live, 'GET', '/metrics')).status).toBe(404);
      const headers = { authorization: 'Bearer let me see' };
      expect((await rawRequest(live, 'GET', '/metrics', { headers })).status).toBe(200);
    } finally {
      await live.stop();
    }
  });
});
