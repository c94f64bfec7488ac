import { CspEvaluator } from 'csp_evaluator/dist/evaluator.js';
import { Severity } from 'csp_evaluator/dist/finding.js';
import { CspParser } from 'csp_evaluator/dist/parser.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mintLinks } from '#contract/customers.ts';
import { createList } from '#contract/lists.ts';
import { createPreferencePage } from '#contract/preference-pages.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWorld, type World } from '#test/harness/world.ts';

let product: TestProduct;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
});

afterAll(() => product.stop());

const get = (url: string, host: string) =>
  product.http.inject({ method: 'GET', url, headers: { host, accept: 'text/html' } });
const appHost = () => new URL(product.url).host;
const siteHost = () => new URL(world.page.url).host;

function directive(policy: unknown, name: string): string | undefined {
  const found = String(policy)
    .split('; ')
    .find((one) => one.startsWith(`${name} `));
  return found?.slice(name.length + 1);
}

const nonceOf = (policy: unknown) => /'nonce-([^']+)'/.exec(String(policy))?.[1] ?? '';

describe('the nonce of a public page', () => {
  /** What stood for it, what looks like it, and where it stands. */
  const NAMES = [
    'nonce-of-this-answer',
    `nonce-${'0'.repeat(32)}`,
    '" nonce="',
    'nonce="nonce-of-this-answer"',
    ' checked=""',
  ];

  it('appears only in the tags of the page, whatever its owner and its visitor wrote', async () => {
    const lists = await Promise.all(
      NAMES.map((name) =>
        product.call(
          createList,
          { params: world.params, body: { name, description: `${name} ${NAMES[0]}` } },
          world.owner,
        ),
      ),
    );
    const [text = ''] = NAMES;
    const page = await product.call(
      createPreferencePage,
      {
        params: world.params,
        body: {
          name: text,
          custom_path: 'nonces',
          allow_customer_create: true,
          lists: lists.map(({ id }) => ({ id })),
          attrs: { tag_subject: text, tag_pre_name: text, saved_preferences_msg: text },
        },
      },
      world.owner,
    );
    const vera = await buildCustomer(product, world, 'nonce-of-this-answer@example.com');
    const { challenge } = await product.call(
      mintLinks,
      { params: { ...world.params, id: vera.id }, body: {} },
      world.owner,
    );
    const path = `/${page.custom_path}`;
    for (const query of ['', `?challenge=${challenge}`, `?email=${vera.email}`, `?lang=${text}`]) {
      for (const _ of ['rendered', 'kept']) {
        const { body, headers, statusCode } = await get(`${path}${query}`, siteHost());
        expect(statusCode).toBe(200);
        const nonce = nonceOf(headers['content-security-policy']);
        expect(nonce).toMatch(/^[\w+/]{22}==$/);
        const inTags = body.match(/<(?:style|script)(?: type="module" src="[^"]+")? nonce="([^"]+)">/g) ?? [];
        expect(inTags.length).toBeGreaterThan(2);
        expect(body.split(nonce)).toHaveLength(inTags.length + 1);
        expect(body).toContain(text);
      }
    }
  });

  it('is different in every response', async () => {
    const nonces = new Set<string>();
    for (let count = 0; count < 5; count += 1) {
      const { headers } = await get('/preferences', siteHost());
      nonces.add(nonceOf(headers['content-security-policy']));
    }
    expect(nonces.size).toBe(5);
  });
});

describe('the evaluator of policies by Google', () => {
  it.each([
    ['a public page', '/preferences', siteHost],
    ['the owner app', '/login', appHost],
    ['the handbook', '/docs', appHost],
  ])('finds no weakness in that of %s', async (_, path, host) => {
    const { headers } = await get(path, host());
    const { csp } = new CspParser(String(headers['content-security-policy']));
    const found = new CspEvaluator(csp).evaluate();
    expect(found.filter(({ severity }) => severity <= Severity.MEDIUM)).toEqual([]);
  });
});

describe('the owner app', () => {
  it('allows styles from its own files and by a nonce, scripts from its own files, images from known places', async () => {
    const answers = await Promise.all(['/login', '/dashboard', '/404'].map((path) => get(path, appHost())));
    for (const { headers, body } of answers) {
      const policy = headers['content-security-policy'];
      expect(String(policy)).not.toMatch(/unsafe|\*|https:|data:.*script/);
      expect(directive(policy, 'script-src')).toBe("'self'");
      expect(directive(policy, 'style-src')).toBe(`'self' 'nonce-${nonceOf(policy)}'`);
      expect(directive(policy, 'img-src')).toBe("'self' data:");
      expect(directive(policy, 'connect-src')).toBe("'self'");
      // Read by the parts that make style elements; in no other place.
      expect(body.split(nonceOf(policy))).toHaveLength(2);
      expect(body).toContain(`<meta property="csp-nonce" nonce="${nonceOf(policy)}">`);
    }
    expect(new Set(answers.map(({ headers }) => nonceOf(headers['content-security-policy']))).size).toBe(3);
  });

  it('with Google and a chat allows these two, and no more', async () => {
    const env = {
      GOOGLE_CLIENT_ID: 'id',
      GOOGLE_CLIENT_SECRET: 'secret',
      CHAT_SCRIPT_URL: 'https://chat.example.net/sdk.js',
      CHAT_WEBSITE_TOKEN: 'token',
    };
    const open = await startTestProduct({ env });
    try {
      const headers = { host: new URL(open.url).host };
      const answer = await open.http.inject({ method: 'GET', url: '/login', headers });
      const policy = answer.headers['content-security-policy'];
      const images = directive(policy, 'img-src');
      expect(images).toBe("'self' data: https://*.googleusercontent.com https://chat.example.net");
      const scripts = directive(policy, 'script-src')?.split(' ') ?? [];
      expect(new Set(scripts)).toEqual(
        new Set(["'self'", 'https://accounts.google.com', 'https://chat.example.net']),
      );
    } finally {
      await open.stop();
    }
  });
});

describe('the handbook and the API reference', () => {
  it.each(['/docs', '/docs/api/'])('%s runs nothing but its own scripts', async (path) => {
    const { headers, body, statusCode } = await get(path, appHost());
    expect(statusCode).toBe(200);
    const policy = headers['content-security-policy'];
    expect(directive(policy, 'default-src')).toBe("'none'");
    const nonce = nonceOf(policy);
    expect(directive(policy, 'script-src')).toBe(nonce === '' ? "'self'" : `'nonce-${nonce}'`);
    for (const name of ['connect-src', 'font-src']) expect(directive(policy, name)).toBe("'self'");
    expect(directive(policy, 'img-src')).toBe("'self' data:");
    expect(directive(policy, 'base-uri')).toBe("'none'");
    expect(directive(policy, 'frame-ancestors')).toBe("'none'");
    const scripts = body.match(/<script(?![^>]* type="application\/json")[^>]*>/g) ?? [];
    expect(scripts.length).toBeGreaterThan(0);
    for (const tag of scripts) expect(tag).toMatch(nonce === '' ? / src="\/docs\// : `nonce="${nonce}"`);
  });

  it('the reference has a new nonce in every response', async () => {
    const answers = await Promise.all(['', '', ''].map(() => get('/docs/api/', appHost())));
    const nonces = answers.map(({ headers }) => nonceOf(headers['content-security-policy']));
    expect(new Set(nonces).size).toBe(3);
  });
});

it('a response that is not a page loads nothing and cannot be framed', async () => {
  for (const path of ['/api/core/v1/settings', '/api/nothing', '/healthz', '/api/openapi.json']) {
    const { headers } = await get(path, appHost());
    expect(headers['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'none'");
  }
});
