import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mintLinks } from '#contract/customers.ts';
import { createPreferencePage, type PreferencePage } from '#contract/preference-pages.ts';
import { API_PREFIX } from '#contract/route.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWorld, openAsProven, type World } from '#test/harness/world.ts';
import { openCachingProxy } from './caching-proxy.ts';
import { buildHostilePages, PAYLOADS } from './hostile-texts.ts';

let product: TestProduct;
let world: World;
let pages: PreferencePage[];

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
  ({ pages } = await buildHostilePages(product, world));
});

afterAll(() => product.stop());

const hostOf = () => new URL(world.page.url).host;

function get(url: string, headers: Record<string, string> = {}) {
  return product.http.inject({ method: 'GET', url, headers: { host: hostOf(), ...headers } });
}

function post(url: string, fields: Record<string, string>) {
  return product.http.inject({
    method: 'POST',
    url,
    headers: { host: hostOf(), 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  });
}

async function linksOf(customerId: string) {
  const params = { ...world.params, id: customerId };
  return product.call(mintLinks, { params, body: {} }, world.owner);
}

/** Markup of a payload as it would stand there unescaped. */
const RAW = PAYLOADS.filter((payload) => payload.includes('<')).map((payload) =>
  payload.slice(payload.indexOf('<')),
);

/** What a browser would take for the page's data: everything up to the first end of a script. */
function dataOf(html: string): { view: { page: { name: string } } } | null {
  const blob = /<script type="application\/json" id="page-view">([^]*?)<\/script/.exec(html)?.[1];
  return blob === undefined ? null : JSON.parse(blob);
}

describe('markup in texts', () => {
  it('is never markup in a document, whatever the field, template, step and language', async () => {
    const vera = await buildCustomer(product, world);
    const { challenge } = await linksOf(vera.id);
    let documents = 0;
    for (const page of pages) {
      for (const query of ['', `?challenge=${challenge}`, `?challenge=${challenge}&state=unsubscribe`]) {
        for (const language of ['en', 'de', 'pl']) {
          const { body, statusCode } = await get(`/${page.custom_path}${query}`, {
            'accept-language': language,
          });
          expect(statusCode).toBe(200);
          for (const raw of RAW) expect(body).not.toContain(raw);
          expect(dataOf(body)?.view.page.name).toBe(page.name);
          expect(body).not.toMatch(/[\u2028\u2029](?=[^<]*<\/script)/);
          documents += 1;
        }
      }
    }
    expect(documents).toBe(72);
  });

  it.each(['email', 'listId', 'state', 'challenge', 'lang', 'unknown'])(
    'of the query parameter %s is never markup in the response',
    async (name) => {
      for (const payload of PAYLOADS) {
        const { body } = await get(`/preferences?${new URLSearchParams({ [name]: payload }).toString()}`);
        for (const raw of RAW) expect(body).not.toContain(raw);
      }
    },
  );

  it('that was typed into a form comes back as text', async () => {
    for (const payload of PAYLOADS) {
      const { body, statusCode } = await post('/preferences', { intent: 'find', email: payload });
      expect(statusCode).toBe(422);
      expect(body).toContain('pwned');
      for (const raw of RAW) expect(body).not.toContain(raw);
      expect(dataOf(body)).not.toBeNull();
    }
  });

  it('of the path or the host is never in the response', async () => {
    for (const payload of PAYLOADS) {
      const path = encodeURIComponent(payload);
      for (const url of [`/${path}`, `/u/${path}`, `/undo/${path}`, `/data/${path}`, `/a/${path}`]) {
        const { body, statusCode } = await get(url);
        expect([400, 404]).toContain(statusCode);
        expect(body).not.toContain('pwned');
      }
    }
    for (const headers of [
      { host: 'evil.example' },
      { host: 'evil.example/<script>pwned()</script>' },
      {
        'x-forwarded-host': 'evil.example',
        'x-original-url': '/evil.example',
        forwarded: 'host=evil.example',
      },
    ] as Record<string, string>[]) {
      const { body, headers: answered } = await get('/preferences', headers);
      expect(body).not.toMatch(/evil\.example|pwned/);
      expect(JSON.stringify(answered)).not.toContain('evil.example');
    }
  });
});

describe('colors', () => {
  it.each(['primary_color', 'text_color', 'background_color'] as const)(
    '%s accepts a color and nothing else',
    async (field) => {
      const create = (value: string) => ({
        params: world.params,
        body: { name: 'Colours', custom_path: 'colours', attrs: { [field]: value } },
      });
      for (const value of [
        'red',
        '#fff',
        '#12345',
        '#1234567',
        '#12345g',
        ' #123456',
        '#123456;}body{background:url(//evil.example)}',
        '#123456\n}',
        'url(javascript:pwned())',
        'expression(pwned())',
        'var(--x)',
        '</style><script>pwned()</script>',
        '',
      ]) {
        const { status, errors } = await product.refuse(createPreferencePage, create(value), world.owner);
        expect({ value, status, field: errors[0]?.field }).toEqual({
          value,
          status: 422,
          field: `attrs.${field}`,
        });
      }
    },
  );
});

describe('a redirect never leads to another host', () => {
  const AWAY = [
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/%2f/evil.example',
    '/%5cevil.example',
    '/%09/evil.example',
    '///evil.example',
    '/.//evil.example',
    '//evil.example/%2f..',
    'https://evil.example',
    '/https:evil.example',
    '/preferences//evil.example',
    '/@evil.example',
  ];

  it('from a path that looks like another address', async () => {
    // As it stands, which `inject` would tidy up first.
    const wire = openCachingProxy(product.services.config.port);
    for (const path of AWAY) {
      const { status, headers } = await wire.get(path, { host: hostOf() });
      const location = headers['location'];
      if (location === undefined) expect([400, 404], path).toContain(status);
      else expect(new URL(String(location)).origin, path).toBe(product.url);
    }
  });

  it('from the old address of the page, whatever comes with it', async () => {
    const SAFE = /^\/preferences(?:\?[^\r\n]*)?$/;
    for (const path of AWAY) {
      for (const query of [
        `?next=${path}`,
        `?${path}`,
        `?redirect=${encodeURIComponent(path)}#${path}`,
        `?%0d%0aLocation:${path}`,
      ]) {
        const { statusCode, headers } = await get(`/user/notification${query}`);
        expect(statusCode).toBe(302);
        expect(headers['location']).toMatch(SAFE);
      }
    }
  });

  it('from an address of the owner app', async () => {
    for (const path of ['/dashboard', '/login', '/lists', '/create-list/x']) {
      for (const query of ['', '?next=//evil.example', '?//evil.example']) {
        const { headers } = await get(`${path}${query}`, { 'x-forwarded-host': 'evil.example' });
        expect(new URL(String(headers['location'])).origin).toBe(product.url);
      }
    }
  });
});

describe('headers', () => {
  it('of every page prevent frames, sniffing, caches, referrers and search engines', async () => {
    const vera = await buildCustomer(product, world);
    const { preference_url, one_click_url } = await linksOf(vera.id);
    const own = [preference_url, one_click_url].map((url) => url.slice(new URL(url).origin.length));
    for (const url of ['/preferences', '/404', '/nothing', '/a/b', '/undo/forged', '/data/forged', ...own]) {
      const { headers, body } = await get(url);
      expect(headers, url).toMatchObject({
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'cache-control': 'private, no-store',
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex, nofollow',
      });
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("base-uri 'none'");
      expect(policy).toContain("form-action 'self'");
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(headers['etag']).toBeUndefined();
      expect(headers['last-modified']).toBeUndefined();
      expect(headers['set-cookie']).toBeUndefined();
      expect(String(headers['vary'])).toMatch(/accept-language/i);
      expect(body).toContain('<meta name="referrer" content="no-referrer">');
    }
  });

  it('cannot be added by line breaks in anything that is sent', async () => {
    const breaks = [
      '%0d%0aset-cookie:%20a=b',
      '%0aset-cookie:%20a=b',
      '%E5%98%8A%E5%98%8Dset-cookie:%20a=b',
      '%00',
    ];
    for (const text of breaks) {
      for (const url of [
        `/${text}`,
        `/preferences?email=${text}`,
        `/preferences?lang=${text}`,
        `/u/${text}`,
        `/user/notification?${text}`,
        `/dashboard?${text}`,
      ]) {
        const { headers, statusCode } = await get(url);
        expect(statusCode, url).toBeLessThan(500);
        expect(headers['set-cookie'], url).toBeUndefined();
        for (const value of Object.values(headers)) expect(String(value), url).not.toMatch(/[\r\n]/);
      }
    }
  });
});

describe('a cache between the server and two people', () => {
  it("never gives one person's page, or an old one, to the other", async () => {
    const proxy = openCachingProxy(product.services.config.port);
    const [vera, ben] = [await buildCustomer(product, world), await buildCustomer(product, world)];
    const ask = (path: string, headers: Record<string, string> = {}) =>
      proxy.get(path, { host: hostOf(), ...headers });
    const api = (id: string) => `${API_PREFIX}/customer/v2/customers/${id}/preferences/preferences`;
    for (const person of [vera, ben]) {
      const other = person === vera ? ben : vera;
      const { challenge } = await linksOf(person.id);
      const sealed = await openAsProven(product, world, person);
      for (const path of [
        `/preferences?challenge=${challenge}`,
        `/preferences?email=${person.email}`,
        api(encodeURIComponent(sealed)),
        '/preferences',
      ]) {
        for (const _ of ['first', 'again']) {
          const { body, isFromCache } = await ask(path);
          expect({ path, isFromCache }).toEqual({ path, isFromCache: false });
          expect(body).not.toContain(other.email);
        }
      }
    }
    const [german, english] = [
      await ask('/404', { 'accept-language': 'de' }),
      await ask('/404', { 'accept-language': 'en' }),
    ];
    expect(german.body).toContain('lang="de"');
    expect(english.body).toContain('lang="en"');
    // It does keep what may be kept.
    const script = /src="(\/assets\/[^"]+\.js)"/.exec((await ask('/preferences')).body)?.[1] ?? '';
    await ask(script);
    expect((await ask(script)).isFromCache).toBe(true);
  });
});

it('a payload fills every text field of the hostile pages', () => {
  for (const { name, attrs, lists } of pages) {
    const texts = [name, attrs.tag_subject, attrs.tag_pre_name, attrs.saved_preferences_msg];
    texts.push(...lists.flatMap((list) => [list.name, list.description]));
    for (const text of texts) expect(PAYLOADS.map((payload) => payload.trim())).toContain(text);
  }
});
