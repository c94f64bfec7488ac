import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mintLinks } from '#contract/customers.ts';
import { originOf } from '#contract/embedding.ts';
import { createPreferencePage, getPreferencePage } from '#contract/preference-pages.ts';
import { getPublicPage } from '#contract/public-preferences.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWorld, type World } from '#test/harness/world.ts';

let product: TestProduct;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
});

afterAll(() => product.stop());

async function get(url: string, host = world.site.domain_name) {
  const { headers } = await product.http.inject({
    url,
    headers: { host: `${host}:${product.services.config.port}` },
  });
  const policy = headers['content-security-policy'] ?? '';
  return { headers, ancestors: /frame-ancestors ([^;]*)/.exec(policy)?.[1] };
}

describe('an origin', () => {
  it.each([
    ['https://www.Example.com', 'https://www.example.com'],
    ['https://example.com:443/', 'https://example.com'],
    ['https://example.com:8443', 'https://example.com:8443'],
    ['https://žurnal.si', 'https://xn--urnal-tib.si'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['http://shop.localhost', 'http://shop.localhost'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ])('%s is %s', (typed, origin) => {
    expect(originOf(typed)).toBe(origin);
  });

  it.each([
    '',
    'example.com',
    'http://example.com',
    'http://localhost.example.com',
    'https://example.com/shop',
    'https://example.com?x',
    'https://example.com/#',
    'https://me:secret@example.com',
    'https://*.example.com',
    "https://'none'",
    'https://a.example;script-src',
    'https://a.example,b.example',
    'javascript:alert(1)',
    'data:text/html,x',
    'null',
  ])('%j is not accepted', (typed) => {
    expect(originOf(typed)).toBeNull();
  });
});

describe('a page that may be framed by named origins', () => {
  const origins = ['https://shop.example', 'http://localhost:4000'];
  let framedId: string;

  beforeAll(async () => {
    const page = await product.call(
      createPreferencePage,
      {
        params: world.params,
        body: {
          name: 'Framed',
          custom_path: 'framed',
          allow_customer_create: true,
          embed_origins: [' https://SHOP.example/ ', 'http://localhost:4000', 'https://shop.example'],
        },
      },
      world.owner,
    );
    framedId = page.id;
  });

  it('stores them once each, as a browser writes them', async () => {
    const params = { ...world.params, id: framedId };
    expect((await product.call(getPreferencePage, { params }, world.owner)).embed_origins).toEqual(origins);
  });

  it('can be framed by these and nobody else, in every step and answer', async () => {
    const vera = await buildCustomer(product, world);
    const links = { params: { ...world.params, id: vera.id }, body: {} };
    const { challenge } = await product.call(mintLinks, links, world.owner);
    for (const url of [
      '/framed',
      '/framed?lang=de',
      `/framed?challenge=${challenge}`,
      '/framed?challenge=x',
    ]) {
      const { ancestors, headers } = await get(url);
      expect(ancestors, url).toBe(origins.join(' '));
      expect(headers['x-frame-options'], url).toBeUndefined();
    }
    const answer = await product.http.inject({
      method: 'POST',
      url: '/framed',
      headers: {
        host: world.site.domain_name,
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: 'intent=find&email=vera@example.com',
    });
    expect(answer.headers['content-security-policy']).toContain(`frame-ancestors ${origins.join(' ')}`);
  });

  it('does not reveal them to visitors', async () => {
    const page = await product.call(getPublicPage, { params: { custom_path: 'framed' } }, world.visitor);
    expect(JSON.stringify(page)).not.toContain('shop.example');
    expect(
      (await product.http.inject({ url: '/framed', headers: { host: world.site.domain_name } })).body,
    ).not.toContain('shop.example');
  });
});

describe('everything else', () => {
  it('cannot be framed', async () => {
    const vera = await buildCustomer(product, world);
    const links = { params: { ...world.params, id: vera.id }, body: {} };
    const { one_click_url } = await product.call(mintLinks, links, world.owner);
    const app = new URL(product.url).hostname;
    const asked: [string, string?][] = [
      ['/preferences'],
      ['/preferences?email=vera@example.com'],
      [new URL(one_click_url).pathname],
      ['/u/forged'],
      ['/nothing'],
      ['/404'],
      ['/api/customer/v1/preferences/framed'],
      ['/api/openapi.json'],
      ['/healthz'],
      ['/login', app],
      ['/dashboard', app],
      ['/docs', app],
      ['/nothing', app],
      ['/preferences', 'unknown.localhost'],
    ];
    for (const [url, host] of asked) {
      const { ancestors, headers } = await get(url, host);
      expect(ancestors, url).toBe("'none'");
      expect(headers['x-frame-options'], url).toBe('DENY');
    }
  });
});

describe('the script for the surrounding page', () => {
  it('is small, may be loaded from anywhere, and is cached for an hour at most', async () => {
    const { headers, body, statusCode } = await product.http.inject({
      url: '/embed.js',
      headers: { host: world.site.domain_name },
    });
    expect(statusCode).toBe(200);
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(headers['cross-origin-resource-policy']).toBe('cross-origin');
    expect(headers['cache-control']).toBe('public, max-age=3600');
    expect(body.length).toBeGreaterThan(100);
    // Two thirds of it are the code; the rest is one sentence in eight languages.
    expect(body.length).toBeLessThan(2400);
  });
});
