import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteAccount } from '#contract/account-data.ts';
import { createApiKey, listApiKeys } from '#contract/api-keys.ts';
import { check } from '#contract/checkers.ts';
import { getCustomer, mintLinks } from '#contract/customers.ts';
import { exportEvidence } from '#contract/exports.ts';
import { listMembers, removeMember } from '#contract/members.ts';
import { RESERVED_PATHS } from '#contract/preference-pages.ts';
import { createSite } from '#contract/sites.ts';
import { networkOf } from '#server/platform/client-network.ts';
import { OWNER_APP_PATHS } from '#server/shell/owner-app/owner-app.paths.ts';
import { limitLookups } from '#server/visit/public-customers/public-customers.ts';
import { buildMember } from '#test/harness/members.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWorld, PASSWORD, type World } from '#test/harness/world.ts';

let product: TestProduct;
let world: World;

beforeAll(async () => {
  product = await startTestProduct({ env: { TRUST_PROXY: '1', TLS_ASK_TOKEN: 'only caddy knows' } });
  world = await buildWorld(product);
});

afterAll(() => product.stop());

const appHost = () => new URL(product.url).host;
const siteHost = () => new URL(world.page.url).host;

interface Answer {
  status: number;
  body: string;
  type: string;
}

/** As it stands: `fetch` writes the Host header itself. */
function ask(
  path: string,
  {
    method = 'GET',
    headers = {},
    body = '',
  }: { method?: string; headers?: Record<string, string>; body?: string },
): Promise<Answer> {
  const { port } = product.services.config;
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: '127.0.0.1', port, path, method, headers, agent: false },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            body: Buffer.concat(chunks).toString(),
            type: answer.headers['content-type'] ?? '',
          }),
        );
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

/** The status of a request written by hand. */
function askRaw(text: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(product.services.config.port, '127.0.0.1', () => socket.write(text));
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(chunk.toString())?.[1]));
      socket.destroy();
    });
  });
}

describe('a one-click link that we never made', () => {
  const ONE_CLICK = { 'content-type': 'application/x-www-form-urlencoded' };

  it('never claims that somebody is unsubscribed, and answers 404 in words', async () => {
    const vera = await buildCustomer(product, world);
    const params = { ...world.params, id: vera.id };
    const { one_click_url } = await product.call(mintLinks, { params, body: {} }, world.owner);
    const real = new URL(one_click_url).pathname;
    const wrong = `${real.slice(0, -6)}${real.endsWith('AAAAAA') ? 'BBBBBB' : 'AAAAAA'}`;
    const host = siteHost();
    for (const path of ['/u/garbage', `/u/${'A'.repeat(96)}`, wrong, `${real}x`]) {
      for (const answer of [
        await ask(path, { headers: { host } }),
        await ask(path, {
          method: 'POST',
          headers: { host, ...ONE_CLICK },
          body: 'List-Unsubscribe=One-Click',
        }),
        await ask(path, { method: 'POST', headers: { host, ...ONE_CLICK }, body: 'intent=leave' }),
      ]) {
        expect(answer).toMatchObject({ status: 404, type: 'text/html; charset=utf-8' });
        expect(answer.body).toContain('Page not found');
        expect(answer.body).not.toMatch(/unsubscribed/i);
      }
    }
    const posted = { method: 'POST', headers: { host, ...ONE_CLICK }, body: 'List-Unsubscribe=One-Click' };
    expect((await product.call(getCustomer, { params }, world.owner)).global_unsubscribe).toBe(false);
    expect(await ask(real, posted)).toMatchObject({ status: 200, body: "You're unsubscribed.\n" });
  });

  it('of another site, or sent to a host that is not served, unsubscribes from nothing either', async () => {
    const other = await buildWorld(product, 'other');
    const vera = await buildCustomer(product, other);
    const params = { ...other.params, id: vera.id };
    const { one_click_url } = await product.call(mintLinks, { params, body: {} }, other.owner);
    for (const host of [siteHost(), 'nobody.localhost']) {
      const headers = { host, ...ONE_CLICK };
      const path = new URL(one_click_url).pathname;
      const { status } = await ask(path, { method: 'POST', headers, body: 'List-Unsubscribe=One-Click' });
      expect(status).toBe(404);
    }
    expect((await product.call(getCustomer, { params }, other.owner)).global_unsubscribe).toBe(false);
  });
});

describe('whether a host deserves a certificate', () => {
  const path = (token?: string) =>
    `/api/tls/ask?domain=${world.site.domain_name}${token === undefined ? '' : `&token=${encodeURIComponent(token)}`}`;

  it('is told to a program on this machine, and to a caller with the token', async () => {
    expect(await ask(path(), { headers: { host: appHost() } })).toMatchObject({ status: 200 });
    // Caddy sends an empty one where none is set.
    expect(await ask(path(''), { headers: { host: appHost() } })).toMatchObject({ status: 200 });
    const headers = { host: 'sayso:3000', 'x-forwarded-for': '192.0.2.7' };
    expect(await ask(path('only caddy knows'), { headers })).toMatchObject({ status: 200 });
  });

  it('is not told to anybody who comes through a proxy, or with a wrong token', async () => {
    for (const header of ['x-forwarded-for', 'forwarded', 'via']) {
      const headers = { host: appHost(), [header]: '127.0.0.1' };
      expect(await ask(path(), { headers })).toMatchObject({ status: 404 });
    }
    expect(await ask(path('a guess'), { headers: { host: appHost() } })).toMatchObject({ status: 404 });
  });
});

describe('the emails that are stored on this machine', () => {
  it('are shown only under the app’s own name, whatever name leads here', async () => {
    const shown = await ask('/dev/outbox', { headers: { host: appHost() } });
    expect(shown).toMatchObject({ status: 200 });
    const { port } = product.services.config;
    for (const headers of [
      { host: `rebound.example:${port}` },
      { host: `127.0.0.1:${port}` },
      { host: siteHost() },
      { host: `rebound.example:${port}`, 'x-forwarded-host': appHost() },
      { host: 'localhost' },
    ] as Record<string, string>[]) {
      for (const path of ['/dev/outbox', '/dev/outbox/01900000-0000-7000-8000-000000000000']) {
        const answer = await ask(path, { headers });
        expect(answer.status).toBe(404);
        expect(answer.body).not.toContain('Outbox');
      }
    }
  });
});

describe('a name that stands for the product, or that programs request by themselves', () => {
  it.each([
    ...['mta-sts', 'autoconfig', 'autodiscover', 'openpgpkey', 'wpad', 'isatap', 'dmarc', 'dkim'],
    ...['www', 'www2', 'mail', 'mail1', 'smtp', 'mx2', 'ns1', 'ns7', 'webmail', 'email', 'imaps'],
    ...['api', 'admin', 'status', 'login', 'sso', 'oauth2', 'verify', 'billing', 'unsubscribe'],
    ...['postmaster', 'hostmaster', 'webmaster', 'ssladmin', 'noreply', 'no-reply'],
    ...['sayso', 'sayso-login', 'MTA-STS', 'localhost', 'localdomain'],
  ])('%s cannot be a site', async (name) => {
    const params = { organization_id: world.params.organization_id };
    const refused = await product.refuse(
      createSite,
      { params, body: { domain_name: name, name } },
      world.owner,
    );
    expect(refused).toMatchObject({ status: 422, errors: [{ code: 'reserved_name', field: 'domain_name' }] });
    const [checked] = await product.call(check, { query: { site_domain: name } }, world.owner);
    expect(checked?.error).toBe(true);
  });

  it.each(['_dmarc', '_domainkey', '_mta-sts', '_acme-challenge'])('%s is not a valid name', async (name) => {
    const params = { organization_id: world.params.organization_id };
    const refused = await product.refuse(
      createSite,
      { params, body: { domain_name: name, name } },
      world.owner,
    );
    expect(refused).toMatchObject({ status: 422, errors: [{ code: 'invalid_field' }] });
  });
});

describe('the look-ups of a site', () => {
  /** How many look-ups somebody at this address is allowed, each for another person; stops at `most`. */
  async function lookUpsOf(ip: string, most: number): Promise<number> {
    const visit = { siteId: world.params.site_id, host: siteHost(), ip, userAgent: null, language: null };
    for (let count = 0; count < most; count += 1) {
      try {
        await limitLookups(product.services, visit, `${ip}-${count}@example.com`, 'useHere');
      } catch (error) {
        expect(error).toMatchObject({ code: 'rate_limited' });
        return count;
      }
    }
    return most;
  }

  const openPage = async (ip: string, email: string) =>
    (await ask(`/preferences?email=${email}`, { headers: { host: siteHost(), 'x-forwarded-for': ip } }))
      .status;

  it('are not used up by ten addresses, nor by ten thousand of one connection', async () => {
    const { email } = await buildCustomer(product, world);
    let taken = 0;
    for (let last = 1; last <= 10; last += 1) taken += await lookUpsOf(`192.0.2.${last}`, 10_000);
    for (let last = 1; last <= 1000; last += 1) taken += await lookUpsOf(`2001:db8::${last.toString(16)}`, 5);
    expect(await openPage('192.0.2.1', email)).toBe(429);
    expect(await openPage('2001:db8::ffff', email)).toBe(429);
    expect(await openPage('192.0.2.11', email)).toBe(200);
    // An office that shares an address is far from its own limit, and all of them are far from the site's.
    expect(taken).toBeGreaterThan(11 * 200);
    expect(await lookUpsOf('198.51.100.1', 10_000)).toBe(taken / 11);
  });

  it('of a person are not used up by a stranger who keeps asking for them', async () => {
    const { email } = await buildCustomer(product, world);
    const statuses = [];
    for (let count = 0; count < 25; count += 1) statuses.push(await openPage('203.0.113.7', email));
    expect(statuses.at(-1)).toBe(429);
    expect(await openPage('203.0.113.8', email)).toBe(200);
  });

  it('are not used up by ten people whom somebody keeps asking for', async () => {
    const { email } = await buildCustomer(product, world);
    const visit = {
      siteId: world.params.site_id,
      host: siteHost(),
      ip: '198.51.100.9',
      userAgent: null,
      language: null,
    };
    for (let count = 0; count < 400; count += 1) {
      const asked = limitLookups(product.services, visit, `known-${count % 10}@example.com`, 'useHere');
      await asked.catch(() => {});
    }
    expect(await openPage('198.51.100.10', email)).toBe(200);
  });
});

it('the path of a screen of the owner app is no path of a page, which no site could show', () => {
  const screens = new Set(
    OWNER_APP_PATHS.map((path) => path.split('/')[1] ?? '').filter((path) => path !== ''),
  );
  expect([...screens].filter((path) => !(RESERVED_PATHS as readonly string[]).includes(path))).toEqual([]);
});

describe('an API key', () => {
  it('still names its creator after they left, and after their account is deleted', async () => {
    const admin = await buildMember(product, world, 'admin');
    const body = { name: 'Shop', scopes: ['read' as const] };
    const made = await product.call(createApiKey, { params: world.params, body }, admin);
    expect(made).toMatchObject({ created_by: admin.username, created_by_email: admin.email });
    const shown = async () =>
      (await product.call(listApiKeys, { params: world.params }, world.owner)).results.find(
        ({ id }) => id === made.id,
      );
    const members = await product.call(listMembers, { params: world.params }, world.owner);
    const member = members.results.find(({ email }) => email === admin.email);
    const left = { params: { ...world.params, id: member?.id ?? '' }, query: { api_keys: 'keep' as const } };
    await product.call(removeMember, left, world.owner);
    expect(await shown()).toMatchObject({ created_by: admin.username, created_by_email: admin.email });
    const typed = { username: admin.username, password: PASSWORD };
    await product.call(deleteAccount, { params: { id: admin.id }, body: typed }, admin);
    expect(await shown()).toMatchObject({ created_by: admin.username, created_by_email: admin.email });
  });
});

describe('a request that names two hosts', () => {
  const end = 'Connection: close\r\n\r\n';

  it('answers 400, whichever comes first', async () => {
    const [one, other] = [siteHost(), appHost()];
    for (const path of ['/preferences', '/dashboard', '/api/core/v1/app-settings', '/nothing/here']) {
      expect(await askRaw(`GET ${path} HTTP/1.1\r\nHost: ${one}\r\nHost: ${other}\r\n${end}`)).toBe(400);
      expect(await askRaw(`GET ${path} HTTP/1.1\r\nHost: ${other}\r\nhost: ${one}\r\n${end}`)).toBe(400);
      expect(await askRaw(`GET ${path} HTTP/1.1\r\nHost: ${one}\r\nHOST: ${one}\r\n${end}`)).toBe(400);
      expect(await askRaw(`GET http://${one}${path} HTTP/1.1\r\nHost: ${other}\r\n${end}`)).toBe(400);
      expect(await askRaw(`GET ${path} HTTP/1.1\r\n${end}`)).toBe(400);
    }
  });

  it('is answered when it names one', async () => {
    expect(await askRaw(`GET /preferences HTTP/1.1\r\nHost: ${siteHost()}\r\n${end}`)).toBe(200);
  });
});

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['2001:DB8::9', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('a limit by IP counts %s as %s', (ip, source) => {
  expect(networkOf(ip)).toBe(source);
});

it('sixty downloads at once all arrive, and nobody waits for them', async () => {
  const { params, owner } = world;
  const downloads = Promise.all(
    Array.from({ length: 60 }, () => product.call(exportEvidence, { params }, owner)),
  );
  await product.call(
    getCustomer,
    { params: { ...params, id: (await buildCustomer(product, world)).id } },
    owner,
  );
  const files = await downloads;
  expect(files.filter((file) => file.includes('previous_hash'))).toHaveLength(60);
});
