import { request } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { mintLinks } from '#contract/customers.ts';
import { saveLists } from '#contract/public-preferences.ts';
import { createLog } from '#server/platform/log.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#server/platform/postgres/embedded.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { callsTo, type Calls } from '#test/harness/product.ts';
import {
  type ProcessOptions,
  type ProductProcess,
  startProductProcess,
} from '#test/harness/product-process.ts';
import {
  buildCustomer,
  buildWebhook,
  buildWorld,
  openAsProven,
  PASSWORD,
  type World,
} from '#test/harness/world.ts';

interface Answer {
  status: number;
  type: string;
  body: string;
  tookMs: number;
}

interface Ask {
  method?: string;
  path: string;
  host?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** `fetch` cannot choose the host. */
function ask(product: ProductProcess, { method = 'GET', path, host, headers, body }: Ask): Promise<Answer> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${product.url}${path}`,
      { method, headers: { ...(host === undefined ? {} : { host }), ...headers }, agent: false },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            type: response.headers['content-type'] ?? '',
            body: text,
            tookMs: performance.now() - began,
          }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

describe('an unavailable database', () => {
  let dataDir: string;
  let postgres: EmbeddedPostgres;
  let product: ProductProcess;
  let receiver: WebhookReceiver;
  let calls: Calls;
  let world: World;
  let sealed: string;
  let links: { challenge: string; one_click_url: string };

  const startPostgres = () => startEmbeddedPostgres({ dataDir, log: createLog('silent') });

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'sayso-away-'));
    postgres = await startPostgres();
    const secretKey = randomBytes(32).toString('base64url');
    product = await startProductProcess({ env: { DATABASE_URL: postgres.url, SECRET_KEY: secretKey } });
    await product.untilReady();
    calls = callsTo(product.url);
    world = await buildWorld(calls);
    receiver = await startWebhookReceiver();
    await buildWebhook(calls, world, { url: receiver.url });
    const vera = await buildCustomer(calls, world);
    sealed = await openAsProven(calls, world, vera);
    links = await calls.call(mintLinks, { params: { ...world.params, id: vera.id }, body: {} }, world.owner);
    // Everything that can be cached is.
    for (const { what } of everyKind()) await ask(product, what);
  });

  afterAll(async () => {
    await product.stop();
    await receiver.close();
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  function everyKind(): { kind: string; what: Ask; html: boolean }[] {
    const { organization_id, site_id } = world.params;
    const authorization = `Bearer ${world.owner.token}`;
    const visitor = { 'x-site-domain': world.site.domain_name };
    const json = { 'content-type': 'application/json' };
    const host = world.site.domain_name;
    const page = `/${world.page.custom_path}`;
    const leave = new URL(links.one_click_url).pathname;
    const site = `/api/core/v1/organizations/${organization_id}/sites/${site_id}`;
    const customer = `/api/customer/v1/customers/${sealed}`;
    const save = JSON.stringify([{ notification_list_id: world.offers.id, subscribed: true }]);
    const api: [string, Ask][] = [
      [
        'log-in',
        {
          method: 'POST',
          path: '/api/core/v1/users/token',
          headers: json,
          body: JSON.stringify({ username: world.owner.username, password: PASSWORD }),
        },
      ],
      ['account', { path: `/api/core/v1/users/${world.owner.id}`, headers: { authorization } }],
      ['site', { path: `${site}/lists`, headers: { authorization } }],
      [
        'write to a site',
        { method: 'POST', path: `${site}/lists`, headers: { authorization, ...json }, body: '{"name":"X"}' },
      ],
      ['page settings', { path: `/api/customer/v1/preferences${page}`, headers: visitor }],
      [
        'customer found',
        {
          method: 'POST',
          path: '/api/customer/v1/customers',
          headers: { ...visitor, ...json },
          body: JSON.stringify({ challenge: links.challenge, custom_path: world.page.custom_path }),
        },
      ],
      ['save', { method: 'PUT', path: `${customer}/lists`, headers: { ...visitor, ...json }, body: save }],
    ];
    const html: [string, Ask][] = [
      ['page of a site', { path: page, host }],
      ['personal link', { path: `${page}?challenge=${links.challenge}`, host }],
      ['leave link', { path: leave, host }],
    ];
    return [
      ...api.map(([kind, what]) => ({ kind, what, html: false })),
      ...html.map(([kind, what]) => ({ kind, what, html: true })),
    ];
  }

  it('answers 503 within a second to every kind of call, and the product stays alive', async (context) => {
    await postgres.stop();
    let slowestMs = 0;
    for (const { kind, what, html } of everyKind()) {
      const answer = await ask(product, what);
      expect.soft({ kind, status: answer.status }).toEqual({ kind, status: 503 });
      expect.soft(answer.tookMs, kind).toBeLessThan(1000);
      slowestMs = Math.max(slowestMs, answer.tookMs);
      if (html) {
        expect
          .soft({ kind, type: answer.type })
          .toMatchObject({ type: expect.stringContaining('text/html') });
        expect.soft(answer.body, kind).toMatch(/<h1/);
      } else {
        const body = JSON.parse(answer.body) as { meta: { errors: { code: string }[] } };
        expect.soft({ kind, code: body.meta.errors[0]?.code }).toEqual({ kind, code: 'unavailable' });
      }
      expect.soft(answer.body, kind).not.toMatch(/ECONN|postgres|at async|node:/i);
    }
    expect((await ask(product, { path: '/healthz' })).status).toBe(200);
    const ready = await ask(product, { path: '/readyz' });
    expect({ status: ready.status, quick: ready.tookMs < 1000 }).toEqual({ status: 503, quick: true });
    await context.annotate(`The slowest took ${slowestMs.toFixed(0)} ms`);
  });

  it('answers 503 within a second even to a hundred calls at once', async () => {
    const kinds = everyKind();
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        ask(product, kinds[index % kinds.length]?.what ?? { path: '/' }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    expect(Math.max(...answers.map(({ tookMs }) => tookMs))).toBeLessThan(1000);
  });

  it('is used again as soon as it is back: calls, saves and the worker', async (context) => {
    const before = receiver.received.length;
    postgres = await startPostgres();
    const began = performance.now();
    await product.untilReady(10_000);
    for (const { kind, what } of everyKind()) {
      expect({ kind, ok: (await ask(product, what)).status < 400 }).toEqual({ kind, ok: true });
    }
    const body = [{ notification_list_id: world.weekly.id, subscribed: false }];
    await calls.call(saveLists, { params: { customerId: sealed }, body }, world.visitor);
    await receiver.waitFor(before + 1, 10_000);
    await context.annotate(
      `A new choice was delivered ${((performance.now() - began) / 1000).toFixed(1)} s later`,
    );
  });
});

describe('the process', () => {
  let running: ProductProcess[] = [];

  afterEach(async () => {
    await Promise.all(running.map((product) => product.stop()));
    running = [];
  });

  async function start(options: ProcessOptions = {}): Promise<ProductProcess> {
    const product = await startProductProcess(options);
    running.push(product);
    return product;
  }

  it('of a product whose database cannot be reached at the start ends with one clear sentence', async () => {
    const env = { DATABASE_URL: 'postgres://nobody:nothing@127.0.0.1:1/none', SECRET_KEY: 'k'.repeat(32) };
    const product = await start({ env });
    expect(await product.ended()).toBe(1);
    expect(product.output().trim()).toBe(
      "DATABASE_URL: Sayso can't reach the database (ECONNREFUSED). Start it, or correct the URL.",
    );
  });

  it('of a second product on the same DATA_DIR ends with one clear sentence', async () => {
    const first = await start();
    await first.untilReady();
    const second = await start({ dataDir: first.dataDir });
    expect(await second.ended()).toBe(1);
    expect(second.output()).toContain(`Another Sayso is already running on ${first.dataDir}`);
    expect(second.output()).toContain('Stop it first, or give this one its own DATA_DIR.');
    expect(second.output()).not.toMatch(/^\s+at /m);
    expect((await ask(first, { path: '/readyz' })).status).toBe(200);
  });

  it('serves with WEB_CONCURRENCY=2, even when one of the two is killed', async () => {
    const product = await start({ env: { WEB_CONCURRENCY: '2' } });
    await product.untilReady();
    const calls = callsTo(product.url);
    const world = await buildWorld(calls);
    const receiver = await startWebhookReceiver();
    await buildWebhook(calls, world, { url: receiver.url });
    const customerId = await openAsProven(calls, world, await buildCustomer(calls, world));
    const [victim] = product.children();
    expect(product.children()).toHaveLength(2);
    process.kill(victim ?? 0, 'SIGKILL');
    await expect.poll(() => product.children(), { timeout: 10_000 }).not.toContain(victim);
    // Once a call is answered, this process has learned which of its idle connections ended with the killed one.
    const answers = () =>
      fetch(`${product.url}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
    await expect.poll(answers).toBe(true);
    const body = [{ notification_list_id: world.weekly.id, subscribed: false }];
    await calls.call(saveLists, { params: { customerId }, body }, world.visitor);
    await receiver.waitFor(1);
    await expect.poll(() => product.children(), { timeout: 15_000 }).toHaveLength(2);
    await product.untilReady();
    await receiver.close();
    await product.stop();
    expect(product.output()).not.toMatch(/"level":[56]0/);
  });
});
