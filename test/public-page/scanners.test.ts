import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listCustomerEvidence } from '#contract/choices.ts';
import { type Customer, getCustomer, mintLinks } from '#contract/customers.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { collectRoutes, type RegisteredRoute } from '#test/harness/routes.ts';
import { readRows } from '#test/harness/rows.ts';
import { buildCustomer, buildWorld, type World } from '#test/harness/world.ts';
import { buildAccountLinks, buildScannedLinks } from './scanned-links.ts';

let product: TestProduct;
let world: World;
let links: Record<string, string>;
let routes: RegisteredRoute[];

beforeAll(async () => {
  const collected = await collectRoutes(() => startTestProduct());
  product = collected.started;
  routes = collected.routes;
  world = await buildWorld(product);
  const ofAccounts = await buildAccountLinks(product, world);
  links = { ...(await buildScannedLinks(product, world)), ...ofAccounts };
});

afterAll(() => product.stop());

/** As mail scanners, link checkers, previews and browsers on their own ask for a link. */
const ASKING: Record<string, Record<string, string>> = {
  'a person': { accept: 'text/html' },
  'nobody that says so': { 'user-agent': '' },
  'a mail scanner': { 'user-agent': 'Mozilla/5.0 (compatible; MSIE 10.0; SafeLinks)' },
  'a chat preview': { 'user-agent': 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)' },
  'a prefetch': { 'sec-purpose': 'prefetch', purpose: 'prefetch' },
  'a prerender': { 'sec-purpose': 'prefetch;prerender', 'x-moz': 'prefetch', 'x-purpose': 'preview' },
  'a form in a foreign page': { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  'a program': { accept: 'application/json', range: 'bytes=0-0', 'if-none-match': '*' },
};

/** It leads to the page of today. */
const FORMER = 'the path of former preference pages';

/** Files, what programs read, and screens of the owner app, which ask to log in. */
const NOT_SENT = /^\/(?:api|assets|avatars|dev|docs|hooks|images)\/|:(?:id|site)\b/;

it('each page that opens by what its link names is included', () => {
  const opened = Object.values(links).map((url) => new URL(url).pathname);
  const named = routes.filter(({ method, path }) => method === 'GET' && path.includes(':'));
  const pages = named.map(({ path }) => path).filter((path) => !NOT_SENT.test(path));
  const missing = pages.filter((path) => {
    const pattern = new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`);
    return !opened.some((pathname) => pattern.test(pathname));
  });
  expect(pages).toContain('/restore/:token');
  expect(missing).toEqual([]);
});

describe('reading a created link changes nothing', () => {
  it.each(['GET', 'HEAD', 'OPTIONS'] as const)(
    'by %s, whatever it says about itself (spec 41)',
    async (method) => {
      const before = await readRows(product.testDatabase.owner);
      const appHost = new URL(product.url).host;
      const answers: Record<string, number> = {};
      const withButtons = new Set<string>();
      for (const [link, url] of Object.entries(links)) {
        const { host, pathname, search } = new URL(url);
        for (const [asking, headers] of Object.entries(ASKING)) {
          const answer = await product.http.inject({
            method,
            url: pathname + search,
            headers: { host, ...headers },
          });
          answers[`${link}, ${asking}`] = answer.statusCode;
          if (answer.body.includes('method="post"')) withButtons.add(link);
        }
      }
      expect(await readRows(product.testDatabase.owner)).toEqual(before);
      if (method !== 'GET') return;
      // Otherwise this would only prove that refusing changes nothing.
      const { [FORMER]: former, ...pages } = links;
      expect(former).toBeDefined();
      const expected = (asked: string) => (asked.startsWith(FORMER) ? 302 : 200);
      expect(Object.entries(answers).filter(([asked, status]) => status !== expected(asked))).toEqual([]);
      // The owner app draws its pages with scripts.
      const drawn = Object.keys(pages).filter((link) => new URL(pages[link] ?? '').host !== appHost);
      expect([...withButtons].toSorted()).toEqual(drawn.toSorted());
    },
  );
});

const BOUNDARY = '----=_Part_7.83';
const multipartBody = (boundary: string, eol = '\r\n') =>
  [
    `--${boundary}`,
    'Content-Disposition: form-data; name="List-Unsubscribe"',
    '',
    'One-Click',
    `--${boundary}--`,
    '',
  ].join(eol);

/** Both encodings that RFC 8058 allows, as tidy and as careless senders write them. */
const ONE_CLICKS: [name: string, type: string, body: string][] = [
  ['urlencoded', 'application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
  [
    'urlencoded, in a charset',
    'application/x-www-form-urlencoded; charset=utf-16',
    'List-Unsubscribe=One-Click',
  ],
  ['urlencoded, type in capitals', 'APPLICATION/X-WWW-FORM-URLENCODED', 'List-Unsubscribe=One-Click'],
  ['urlencoded, with a line end', 'application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click\r\n'],
  ['multipart', `multipart/form-data; boundary=${BOUNDARY}`, multipartBody(BOUNDARY)],
  ['multipart, quoted boundary', `multipart/form-data; boundary="${BOUNDARY}"`, multipartBody(BOUNDARY)],
  ['multipart, bare line feeds', `multipart/form-data; boundary=${BOUNDARY}`, multipartBody(BOUNDARY, '\n')],
  [
    'multipart, with a charset',
    `multipart/form-data; charset=us-ascii; boundary=${BOUNDARY}`,
    multipartBody(BOUNDARY),
  ],
  ['multipart, boundary not the one named', 'multipart/form-data; boundary=other', multipartBody(BOUNDARY)],
  ['no type at all', '', 'List-Unsubscribe=One-Click'],
  ['urlencoded, its hyphens too', 'application/x-www-form-urlencoded', 'List%2DUnsubscribe=One%2DClick'],
  ['JSON', 'application/json', '{"List-Unsubscribe":"One-Click"}'],
  ['another value', 'application/x-www-form-urlencoded', 'List-Unsubscribe=Two-Clicks'],
  ['another name', 'application/x-www-form-urlencoded', 'list=One-Click'],
  ['no body', '', ''],
  ['no body, but a type', 'application/x-www-form-urlencoded', ''],
  ['nothing readable', 'application/octet-stream', '\0\u0001\u0002'],
];

/** Each way in which a body may be compressed, one that it isn't, and one that nobody knows. */
const ENCODINGS: [encoding: string, encode: (body: string) => Buffer][] = [
  ['gzip', (body) => gzipSync(body)],
  ['deflate', (body) => deflateSync(body)],
  ['br', (body) => brotliCompressSync(body)],
  ['gzip', (body) => Buffer.from(body)],
  ['x-unknown', (body) => gzipSync(body)],
];

const ROBOTS = ['', 'Googlebot/2.1 (+http://www.google.com/bot.html)', 'YahooMailProxy'];

async function oneClickOf(customer: Customer, listId?: string) {
  const body = listId === undefined ? {} : { list_id: listId };
  const links = await product.call(
    mintLinks,
    { params: { ...world.params, id: customer.id }, body },
    world.owner,
  );
  return new URL(links.one_click_url);
}

const choicesOf = async ({ id }: Customer) =>
  (await product.call(listCustomerEvidence, { params: { ...world.params, id } }, world.owner)).results.filter(
    ({ source }) => source === 'one_click',
  );

function press(url: URL, type: string, payload: string | Buffer, headers: Record<string, string> = {}) {
  return product.http.inject({
    method: 'POST',
    url: url.pathname,
    headers: { host: url.host, ...(type === '' ? {} : { 'content-type': type }), ...headers },
    payload,
  });
}

describe('the one click of RFC 8058', () => {
  it.each(ONE_CLICKS)(
    '%s: one change, 200 without a redirect or a cookie, as often as it is sent',
    async (_, type, body) => {
      for (const listId of [undefined, world.weekly.id]) {
        const vera = await buildCustomer(product, world);
        const url = await oneClickOf(vera, listId);
        for (const agent of ROBOTS) {
          const answer = await press(url, type, body, { 'user-agent': agent });
          expect(answer.statusCode).toBe(200);
          expect(answer.headers['location']).toBeUndefined();
          expect(answer.headers['set-cookie']).toBeUndefined();
        }
        const [made, ...more] = await choicesOf(vera);
        expect(more).toEqual([]);
        expect(made?.events).toContain(listId === undefined ? 'global_unsubscribed' : 'unsubscribed');
      }
    },
  );

  it('unsubscribes however its body is compressed, and stays a report of a wrong recipient where it is one', async () => {
    const type = 'application/x-www-form-urlencoded';
    for (const [encoding, encode] of ENCODINGS) {
      const vera = await buildCustomer(product, world);
      const url = await oneClickOf(vera);
      const headers = { 'content-encoding': encoding };
      const answer = await press(url, type, encode('List-Unsubscribe=One-Click'), headers);
      expect([encoding, answer.statusCode]).toEqual([encoding, 200]);
      expect((await choicesOf(vera))[0]?.events).toContain('global_unsubscribed');
    }
    const ben = await buildCustomer(product, world);
    const url = await oneClickOf(ben, world.weekly.id);
    await press(url, type, gzipSync('Wrong%2DRecipient=One%2DClick'), { 'content-encoding': 'gzip' });
    expect(await choicesOf(ben)).toEqual([]);
    const params = { ...world.params, id: ben.id };
    expect((await product.call(getCustomer, { params }, world.owner)).global_unsubscribe).toBe(true);
    const tooLarge = await press(url, type, 'x'.repeat(70_000));
    expect(tooLarge.statusCode).toBe(413);
  });

  it('changes nothing on another host or another path', async () => {
    const vera = await buildCustomer(product, world);
    const other = await buildWorld(product, 'other');
    const url = await oneClickOf(vera);
    const [, type, body] = ONE_CLICKS[0] ?? ['', '', ''];
    const before = await readRows(product.testDatabase.owner);
    const elsewhere = (host: string, path: string) => press(new URL(`http://${host}${path}`), type, body);
    const { port } = new URL(product.url);
    await elsewhere(`${other.site.domain_name}:${port}`, url.pathname);
    await elsewhere(new URL(product.url).host, url.pathname);
    await elsewhere('nobody.example', url.pathname);
    await elsewhere(url.host, url.pathname.replace('/u/', '/'));
    await elsewhere(url.host, url.pathname.slice(0, -1));
    await elsewhere(url.host, `${url.pathname}A`);
    await elsewhere(url.host, '/preferences');
    expect(await readRows(product.testDatabase.owner)).toEqual(before);
  });
});
