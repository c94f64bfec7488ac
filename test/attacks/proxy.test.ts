import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listCustomerEvidence } from '#contract/choices.ts';
import { readConfig } from '#server/platform/config.ts';
import { rawRequest } from '#test/harness/http.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildSite, buildWorld, openAsProven, type World } from '#test/harness/world.ts';

/** Who is really there: what our own proxy appends to whatever the client wrote. */
const CLIENT = '203.0.113.77';

let product: TestProduct;
let world: World;

beforeAll(async () => {
  product = await startTestProduct({ env: { TRUST_PROXY: '1' } });
  world = await buildWorld(product);
});

afterAll(() => product.stop());

/** A request as it comes through the proxy from a client that makes its address up. */
function through(method: string, path: string, made: string, body: object, host?: string) {
  const as = host === undefined ? {} : { host };
  return rawRequest(product, method, path, {
    as,
    headers: { 'x-forwarded-for': `${made}, ${CLIENT}`, forwarded: `for=${made}`, 'x-real-ip': made },
    body,
  });
}

function logIn(made: string) {
  const body = { username: 'nobody-of-this-name', password: 'not the password' };
  return through('POST', '/api/core/v1/users/token', made, body);
}

describe('a forged X-Forwarded-For', () => {
  it('does not evade the limit of logins per address', async () => {
    // Sign-in with Google counts with the log-ins, and refuses quickly where it is not set up.
    const tries = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        through('POST', '/api/core/v1/users/google', `198.51.100.${n}`, { code: 'made-up' }),
      ),
    );
    expect(new Set(tries.map(({ status }) => status))).toEqual(new Set([404]));
    expect((await logIn('198.51.100.200')).status).toBe(429);
    expect((await logIn('2001:db8::200')).status).toBe(429);
  });

  it('does not get into the evidence', async () => {
    const vera = await buildCustomer(product, world);
    const id = await openAsProven(product, world, vera);
    const body = [{ notification_list_id: world.weekly.id, subscribed: false }];
    const path = `/api/customer/v1/customers/${id}/lists`;
    const saved = await through('PUT', path, '198.51.100.9', body, world.visitor.host);
    expect(saved.status).toBe(200);
    const call = { params: { ...world.params, id: vera.id }, query: {} };
    const { results } = await product.call(listCustomerEvidence, call, world.owner);
    const page = results.filter(({ source }) => source === 'page');
    expect(page.map(({ ip }) => ip)).toEqual(['203.0.113.0']);
    expect(JSON.stringify(results)).not.toContain('198.51.100');
  });
});

it('a forged X-Forwarded-Host does not choose the site, nor X-Forwarded-Proto the scheme', async () => {
  const other = await buildSite(product, world.owner, world.params.organization_id);
  const forged = { 'x-forwarded-host': String(other.visitor.host), 'x-forwarded-proto': 'javascript' };
  const url = '/api/customer/v1/preferences/preferences';
  const host = String(world.visitor.host);
  const answer = await product.http.inject({ method: 'GET', url, headers: { host, ...forged } });
  expect(answer.json()).toMatchObject({ lists: [{ id: world.weekly.id }, { id: world.offers.id }] });
  const page = await product.http.inject({
    method: 'GET',
    url: '/preferences',
    headers: { host, ...forged },
  });
  expect(page.statusCode).toBe(200);
  expect(page.body).not.toMatch(/javascript:\/\//);
  expect(page.body).not.toContain(other.visitor.host);
});

it('a setting that trusts every client stops the start', () => {
  for (const value of ['true', 'yes', '*', '0.0.0.0/0']) {
    expect(() => readConfig({ TRUST_PROXY: value })).toThrow(/TRUST_PROXY: .*fake its/);
  }
});
