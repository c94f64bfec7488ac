import { inspect } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createSayso, SaysoError, type SaysoOptions } from './src/index.ts';

const SITE = {
  organizationId: '0198c0de-7000-7000-8000-000000000001',
  siteId: '0198c0de-7000-7000-8000-000000000002',
};
const PATH = `/api/core/v1/organizations/${SITE.organizationId}/sites/${SITE.siteId}`;
const KEY = 'sk_secret';

interface Sent {
  method: string;
  url: string;
  headers: Headers;
}

/** A client whose calls are answered with these, in turn. */
function answeredWith(answers: Response[], options: Partial<SaysoOptions> = {}) {
  const sent: Sent[] = [];
  const sayso = createSayso({
    url: `https://app.example.com${PATH}`,
    key: KEY,
    fetch: async (url, { method = '', headers }) => {
      sent.push({ method, url, headers: new Headers(headers) });
      return answers.shift() ?? Response.json({ results: [], next: null });
    },
    ...options,
  });
  return { sayso, sent };
}

const later = (status: number, retryAfter?: string) =>
  new Response('{}', { status, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } });

afterEach(() => {
  vi.useRealTimers();
});

describe('the client', () => {
  it.each([
    ['the base URL of the site', { url: `https://app.example.com/below${PATH}/` }],
    ['the server and both ids', { url: 'https://app.example.com/below/', ...SITE }],
    ['the server’s API and both ids', { url: 'https://app.example.com/below/api/core/v1', ...SITE }],
  ])('takes its site from %s', async (_what, options) => {
    const { sayso, sent } = answeredWith([], options);
    expect(sayso.site).toEqual({ server: 'https://app.example.com/below', ...SITE });
    await sayso.listLists();
    expect(sent[0]?.url).toBe(`https://app.example.com/below${PATH}/lists`);
    expect(sent[0]?.headers.get('authorization')).toBe(`Bearer ${KEY}`);
  });

  it.each([
    [{ url: 'app.example.com', key: KEY }, /^url: must be a URL/],
    [{ url: 'https://app.example.com', key: KEY }, /^url: has no organization and site/],
    [{ url: `https://app.example.com${PATH}`, key: '' }, /^key: must be an API key/],
    [{ url: `https://app.example.com${PATH}`, key: 'sk_a\n' }, /^key: must be an API key/],
  ])('reports what is wrong with %j', (options, message) => {
    expect(() => createSayso(options)).toThrow(message);
  });

  it('never prints its key', () => {
    const { sayso } = answeredWith([]);
    expect(inspect(sayso, { depth: null, showHidden: true }) + JSON.stringify(sayso)).not.toContain(KEY);
  });

  it('reads all pages of a collection', async () => {
    const page = (name: string, next: string | null) => Response.json({ results: [{ name }], next });
    const { sayso, sent } = answeredWith([page('one', 'a b'), page('two', null)]);
    const found: string[] = [];
    for await (const { name } of sayso.each('listIntegrations')) found.push(name);
    expect(found).toEqual(['one', 'two']);
    expect(sent.map(({ url }) => new URL(url).search)).toEqual(['', '?cursor=a+b']);
  });
});

describe('an error from the API', () => {
  it('has the code, the field, what to do, and the id of the request', async () => {
    const errors = [{ code: 'invalid_field', message: 'email: must be an email.', field: 'email' }];
    const body = { message: 'email: must be an email.', data: null, meta: { errors } };
    const answer = Response.json(body, { status: 422, headers: { 'x-request-id': 'r1' } });
    const { sayso } = answeredWith([answer]);
    const error: unknown = await sayso.createCustomer({ body: { email: 'x' } }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(SaysoError);
    expect(error).toMatchObject({
      ...{ status: 422, code: 'invalid_field', field: 'email', errors, requestId: 'r1', data: null },
      message: body.message,
    });
  });

  it('says which server did not answer, and why', async () => {
    const cause = new TypeError('getaddrinfo ENOTFOUND app.example.com');
    const { sayso } = answeredWith([], { fetch: () => Promise.reject(cause) });
    const error: unknown = await sayso.listLists().catch((thrown) => thrown);
    expect(error).toMatchObject({ status: 0, code: null, cause });
    expect((error as Error).message).toContain('https://app.example.com');
  });
});

describe('a server that says "not now"', () => {
  it.each([429, 503])('with %i is retried after as long as it says', async (status) => {
    vi.useFakeTimers();
    const { sayso, sent } = answeredWith([later(status, '7'), later(status)]);
    const answer = sayso.listLists();
    await vi.advanceTimersByTimeAsync(6_999);
    expect(sent).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(sent).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await answer).toEqual({ results: [], next: null });
    expect(sent).toHaveLength(3);
  });

  it('with a date is retried then', async () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) });
    const { sayso, sent } = answeredWith([later(503, 'Thu, 01 Jan 2026 00:00:05 GMT')]);
    const answer = sayso.listLists();
    await vi.advanceTimersByTimeAsync(4_999);
    expect(sent).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    await answer;
    expect(sent).toHaveLength(2);
  });

  it('is not retried for a change, too often, or after too long', async () => {
    const changing = answeredWith([later(503, '0')]);
    const change = changing.sayso.createCustomer({ body: { email: 'a@example.com' } });
    await expect(change).rejects.toMatchObject({ status: 503 });
    expect(changing.sent).toHaveLength(1);
    const often = answeredWith([later(429, '0'), later(429, '0'), later(429, '0')], { retries: 2 });
    await expect(often.sayso.listLists()).rejects.toMatchObject({ status: 429 });
    expect(often.sent).toHaveLength(3);
    const long = answeredWith([later(503, '61')]);
    await expect(long.sayso.listLists()).rejects.toMatchObject({ status: 503 });
    expect(long.sent).toHaveLength(1);
  });

  it('is no longer waited for once the caller gives up', async () => {
    const { sayso, sent } = answeredWith([later(503, '30')]);
    const caller = new AbortController();
    const answer = sayso.listLists({}, { signal: caller.signal });
    await vi.waitFor(() => expect(sent).toHaveLength(1), { timeout: 40_000 });
    caller.abort();
    await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
    expect(sent).toHaveLength(1);
  });
});
