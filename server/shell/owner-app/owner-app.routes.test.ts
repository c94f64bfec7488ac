import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildWorld, type World } from '#test/harness/world.ts';

let plain: TestProduct;
let chatty: TestProduct;
let world: World;

beforeAll(async () => {
  plain = await startTestProduct();
  world = await buildWorld(plain);
  chatty = await startTestProduct({
    env: { CHAT_SCRIPT_URL: 'https://chat.example:8443/widget.js', CHAT_WEBSITE_TOKEN: 'token' },
  });
});

afterAll(async () => {
  await chatty.stop();
  await plain.stop();
});

async function directivesOf(product: TestProduct): Promise<Record<string, string>> {
  const answer = await fetch(`${product.url}/dashboard`);
  const policy = answer.headers.get('content-security-policy') ?? '';
  return Object.fromEntries(
    policy.split('; ').map((part) => [part.split(' ')[0], part.split(' ').slice(1).join(' ')]),
  );
}

describe('the content security policy of the owner app', () => {
  it('allows nothing from outside while no chat is configured', async () => {
    expect(await directivesOf(plain)).toMatchObject({
      'script-src': "'self'",
      'connect-src': "'self'",
      'frame-src': "'none'",
      'default-src': "'self'",
    });
  });

  it('allows the configured chat’s origin, and no other (spec 86)', async () => {
    expect(await directivesOf(chatty)).toMatchObject({
      'script-src': "'self' https://chat.example:8443",
      'connect-src': "'self' https://chat.example:8443",
      'frame-src': 'https://chat.example:8443',
    });
  });
});

const DIST = join(import.meta.dirname, '../../../dist');

describe('the assets of the owner app and of the public page', () => {
  it.each(['owner', 'page'])('of %s are sent compressed, and may be kept for a year', async (part) => {
    const name = readdirSync(join(DIST, part, 'assets')).find((one) => one.endsWith('.js')) ?? '';
    const url = `/assets/${name}`;
    const headers = { 'accept-encoding': 'gzip, br' };
    const { statusCode, headers: answered } = await plain.http.inject({ method: 'GET', url, headers });
    expect([statusCode, answered['content-encoding']]).toEqual([200, 'br']);
    expect(answered['cache-control']).toBe('public, max-age=31536000, immutable');
    const bare = await plain.http.inject({ method: 'GET', url });
    expect(bare.body).toBe(readFileSync(join(DIST, part, 'assets', name), 'utf8'));
    expect((await plain.http.inject({ method: 'HEAD', url })).statusCode).toBe(200);
  });

  it('are files of their folders only', async () => {
    const { host } = new URL(plain.url);
    for (const name of ['none.js', '..%2findex.html', '%2e%2e/index.html', 'x/..%2f..%2findex.html', '']) {
      const { statusCode } = await plain.http.inject({ url: `/assets/${name}`, headers: { host } });
      expect([400, 404], name).toContain(statusCode);
    }
  });
});

const OWNER_APP = join(import.meta.dirname, '../../../web/owner');

/** Of every screen, with an id where one belongs: a reload has to find it. */
const PATHS = readdirSync(OWNER_APP, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.routes\.tsx?$/.test(name))
  .flatMap((name) => [...readFileSync(join(OWNER_APP, name), 'utf8').matchAll(/^ *path: '(\/[^']*)'/gm)])
  .map(([, path = '']) => path.replaceAll(/\$\w+/g, 'some-id'))
  .filter((path) => path !== '/404');

it('the screens of the owner app are found in the router', () => {
  expect(PATHS).toContain('/integrations/some-id/set-up');
  expect(PATHS.length).toBeGreaterThan(20);
});

describe.each(PATHS)('%s', (path) => {
  it('is the app on the app host: 200 (spec 125)', async () => {
    const answer = await fetch(`${plain.url}${path}`);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('<div id="root">');
  });

  it('leads from a site’s host to the app host (spec 125)', async () => {
    const answer = await plain.http.inject({
      url: `${path}?a=b`,
      headers: { host: new URL(world.site.url).host },
    });
    expect(answer.statusCode).toBe(302);
    expect(answer.headers.location).toBe(`${plain.url}${path}?a=b`);
  });
});

it('/404 is the app’s own screen, with its status (spec 124)', async () => {
  const answer = await fetch(`${plain.url}/404`);
  expect(answer.status).toBe(404);
  expect(await answer.text()).toContain('<div id="root">');
});
