import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '#server/platform/log.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';

interface Line {
  msg: string;
}

/** A log that keeps what it says about proxies: a busy machine has others to say. */
function keepWarnings() {
  const lines: Line[] = [];
  const keep = (line: Line) => {
    if (line.msg.includes('proxy')) lines.push(line);
  };
  return { lines, log: createLog('warn', { write: (line: string) => keep(JSON.parse(line) as Line) }) };
}

const APP = { APP_URL: 'https://app.example.test', SITE_DOMAIN: 'pages.example.test' };

describe('a proxy that does not pass the Host header on', () => {
  const { lines, log } = keepWarnings();
  let product: TestProduct;

  beforeAll(async () => {
    product = await startTestProduct({ env: APP, log });
  });

  afterAll(() => product.stop());

  const get = (url: string, host: string) => product.http.inject({ method: 'GET', url, headers: { host } });

  it('gets 421 with one sentence instead of a redirect to itself, which is logged once', async () => {
    for (const host of ['127.0.0.1:4601', 'localhost:4601', 'sayso:3000', '[::1]:4601', 'backend']) {
      for (const path of [
        '/',
        '/login',
        '/dashboard',
        '/docs',
        '/docs/lists',
        '/preferences',
        '/u/some-link',
      ]) {
        const answer = await get(path, host);
        expect([host, path, answer.statusCode, answer.headers['location']]).toEqual([
          host,
          path,
          421,
          undefined,
        ]);
        expect(answer.body).toMatch(/^This is Sayso at https:\/\/app\.example\.test, .*Host header.*\n$/);
        expect(answer.body).toContain(`"${host}"`);
      }
    }
    expect(lines.map(({ msg }) => msg)).toEqual([expect.stringMatching(/proxy_set_header Host/)]);
  });

  it('keeps what needs no host: health, the API, files of the app', async () => {
    expect((await get('/healthz', '127.0.0.1:4601')).statusCode).toBe(200);
    expect((await get('/readyz', '127.0.0.1:4601')).statusCode).toBe(200);
    expect((await get('/api/core/v1/settings', '127.0.0.1:4601')).statusCode).not.toBe(421);
    expect((await get('/assets/none.js', '127.0.0.1:4601')).statusCode).toBe(404);
  });

  it('does not change what other names get: pages lead to the app, and unknown ones exist nowhere', async () => {
    const led = await get('/dashboard?a=b', 'acme.pages.example.test');
    expect([led.statusCode, led.headers['location']]).toEqual([
      302,
      'https://app.example.test/dashboard?a=b',
    ]);
    expect((await get('/preferences', 'news.acme.example')).statusCode).toBe(404);
  });
});

describe('a trial on this machine', () => {
  it('leads from 127.0.0.1 to the name in APP_URL at the same port', async () => {
    const product = await startTestProduct();
    try {
      const host = new URL(product.url).host.replace('localhost', '127.0.0.1');
      const led = await product.http.inject({ method: 'GET', url: '/login', headers: { host } });
      expect([led.statusCode, led.headers['location']]).toEqual([302, `${product.url}/login`]);
    } finally {
      await product.stop();
    }
  });
});

describe('a proxy that TRUST_PROXY does not name', () => {
  const forwarded = { 'x-forwarded-for': '203.0.113.7' };

  it('is logged once, counted, and shown where the operator looks', async () => {
    const { lines, log } = keepWarnings();
    const product = await startTestProduct({ log });
    try {
      const direct = await fetch(`${product.url}/readyz`);
      expect(await direct.json()).not.toHaveProperty('proxy');
      expect(lines).toEqual([]);
      for (const path of ['/healthz', '/login', '/readyz']) {
        await fetch(`${product.url}${path}`, { headers: forwarded });
      }
      expect(lines.map(({ msg }) => msg)).toEqual([
        expect.stringMatching(/^TRUST_PROXY is empty.*Set TRUST_PROXY/),
      ]);
      const ready = await fetch(`${product.url}/readyz`, { headers: forwarded });
      expect([ready.status, await ready.json()]).toMatchObject([200, { proxy: 'unnamed: set TRUST_PROXY' }]);
      const metrics = await (await fetch(`${product.url}/metrics`)).text();
      expect(metrics).toContain('sayso_unnamed_proxy_requests_total 4');
    } finally {
      await product.stop();
    }
  });

  it('is nothing to report once it is named', async () => {
    const { lines, log } = keepWarnings();
    const product = await startTestProduct({ env: { TRUST_PROXY: '1' }, log });
    try {
      const ready = await fetch(`${product.url}/readyz`, { headers: forwarded });
      expect(await ready.json()).not.toHaveProperty('proxy');
      expect(lines).toEqual([]);
    } finally {
      await product.stop();
    }
  });
});
