import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { describeTool, digits } from '#test/fakes/descriptions/written.ts';
import { startFakeServer } from './fake-tool.ts';

const TOOL = describeTool({
  source: { kind: 'documented', date: '2026-11-30', where: 'this file' },
  operations: {
    'get /people': { query: { page: digits(1, 100).optional() }, answers: { 200: z.array(z.string()) } },
    'get /people/{id}.json': { answers: { 200: z.strictObject({ name: z.string() }) } },
    'post /people': {
      json: z.strictObject({ name: z.string(), nick: z.string().optional() }),
      answers: { 201: z.strictObject({ name: z.string() }) },
    },
    'delete /people/{id}': { path: { id: digits() }, answers: { 204: null } },
    'post /token': { form: z.strictObject({ code: z.string() }), answers: { 200: z.strictObject({}) } },
  },
  failure: z.strictObject({ error: z.string() }),
});

let fake: Awaited<ReturnType<typeof startFakeServer>>;
let people: string[];

beforeAll(async () => {
  fake = await startFakeServer(
    (http) => {
      http.addHook('preHandler', async (request, reply) => {
        if (request.headers.authorization === undefined) return reply.code(401).send({ error: 'who?' });
      });
      http.get('/v1/people', () => people);
      http.get('/v1/people/:id', () => ({ nmae: 'Ada' }));
      http.post<{ Body: { name: string } }>('/v1/people', ({ body: { name } }, reply) => {
        people.push(name);
        return reply.code(201).send({ name });
      });
      http.delete('/v1/people/:id', (_request, reply) => {
        people = [];
        return reply.code(204).send();
      });
      http.post('/v1/token', () => ({}));
      http.get('/login', () => 'a page');
    },
    {
      written: TOOL,
      basePath: '/v1',
      isOutside: (url) => url.startsWith('/login'),
      refuse: ({ kind }) => ({ status: kind === 'unknown path' ? 404 : 400, body: { error: kind } }),
    },
  );
});

afterAll(() => fake.close());

beforeEach(() => {
  people = ['Ada'];
});

async function ask(method: string, path: string, body?: object, type = 'application/json') {
  const text = type.endsWith('json') ? JSON.stringify(body) : new URLSearchParams({ ...body }).toString();
  const answer = await fetch(`${fake.url}${path}`, {
    method,
    headers: { authorization: 'me', ...(body && { 'content-type': type }) },
    ...(body && { body: text }),
  });
  return answer.status;
}

describe('a strict fake', () => {
  it('answers what its tool describes', async () => {
    expect(await ask('GET', '/v1/people?page=2')).toBe(200);
    expect(await ask('POST', '/v1/people', { name: 'Eva' })).toBe(201);
    expect(people).toEqual(['Ada', 'Eva']);
    expect(await ask('DELETE', '/v1/people/1')).toBe(204);
    expect(await ask('POST', '/v1/token', { code: 'a' }, 'application/x-www-form-urlencoded')).toBe(200);
    expect(await ask('GET', '/login?anything=1')).toBe(200);
    expect(fake.violations).toEqual([]);
  });

  it.each([
    ['a path that is not described', 404, 'GET', '/v1/persons', undefined],
    ['a method that is not described', 404, 'PUT', '/v1/people', { name: 'Eva' }],
    ['a path outside of the tool', 404, 'GET', '/v2/people', undefined],
    ['a part of the path in another form', 404, 'DELETE', '/v1/people/ada', undefined],
    ['an unknown parameter', 400, 'GET', '/v1/people?size=5', undefined],
    ['a parameter in another form', 400, 'GET', '/v1/people?page=101', undefined],
    ['a misspelt field', 400, 'POST', '/v1/people', { name: 'Eva', nik: 'E' }],
    ['a missing field', 400, 'POST', '/v1/people', { nick: 'E' }],
    ['a field of another type', 400, 'POST', '/v1/people', { name: 7 }],
    ['no body where one belongs', 400, 'POST', '/v1/people', undefined],
    ['a body where none belongs', 400, 'DELETE', '/v1/people/1', { reason: 'none' }],
    ['JSON in place of a form', 400, 'POST', '/v1/token', { code: 'a' }],
  ] as const)('refuses %s, notes it and changes nothing', async (_what, status, method, path, body) => {
    const before = fake.violations?.length ?? 0;
    expect(await ask(method, path, body)).toBe(status);
    expect(people).toEqual(['Ada']);
    expect(fake.violations?.length).toBe(before + 1);
  });

  it('reports a missing permission before anything else', async () => {
    const answer = await fetch(`${fake.url}/v1/persons`);
    expect(answer.status).toBe(401);
  });

  it('checks its own answers against the description, and ignores simulated failures', async () => {
    fake.trouble({ status: 200, body: '{"nmea":""}' });
    await ask('GET', '/v1/people/7.json');
    expect(fake.violations?.join()).not.toContain('nmea');
    await ask('GET', '/v1/people/7.json');
    await ask('GET', '/v1/people/7.json');
    const found = fake.violations?.filter((line) => line.startsWith('get /people/{id}.json answer 200'));
    expect(found).toHaveLength(2);
    expect(found?.join()).toContain('nmae');
  });
});
