import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { createCustomer } from '#contract/customers.ts';
import { rawRequest } from '#test/harness/http.ts';
import { startTestProduct } from '#test/harness/product.ts';
import { buildWorld } from '#test/harness/world.ts';

it('stopping does not wait for idle connections, as browsers open them ahead', async () => {
  const product = await startTestProduct();
  const socket = connect(Number(new URL(product.url).port), '127.0.0.1');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await new Promise((resolve) => socket.once('connect', resolve));
  await product.stop();
  await closed;
});

it('a body may be missing where the call needs none, although the client declares JSON', async () => {
  const product = await startTestProduct();
  const { owner, params, weekly } = await buildWorld(product, 'acme');
  const site = `/api/core/v1/organizations/${params.organization_id}/sites/${params.site_id}`;
  const customer = await product.call(createCustomer, { params, body: { email: 'v@example.com' } }, owner);
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  const send = (method: string, path: string, body?: string) =>
    rawRequest(product, method, `${site}/${path}`, { as: owner, headers, ...(body === '' && { body }) });
  // It takes no body; its body has a default; its body is required.
  expect(await send('POST', 'test-email')).toMatchObject({ status: 200 });
  expect(await send('POST', `customers/${customer.id}/links`, '')).toMatchObject({ status: 201 });
  expect(await send('DELETE', `lists/${weekly.id}`)).toMatchObject({ status: 204 });
  const refused = await send('POST', 'lists');
  expect(refused).toMatchObject({ status: 400, codes: ['bad_json'] });
  expect(refused.json.message).toBe('The body is empty. Send JSON.');
  await product.stop();
});

it('a call that takes no body ignores one: broken, of another type, or too large', async () => {
  const product = await startTestProduct();
  const { owner, params } = await buildWorld(product, 'acme');
  const path = `/api/core/v1/organizations/${params.organization_id}/sites/${params.site_id}/test-email`;
  for (const [type, body] of [
    ['application/json', '{'],
    ['text/xml', '<a/>'],
    ['no type', '{}'],
    ['application/json', JSON.stringify('x'.repeat(300_000))],
  ] as const) {
    const headers = { 'content-type': type };
    expect(await rawRequest(product, 'POST', path, { as: owner, headers, body })).toMatchObject({
      status: 200,
    });
  }
  await product.stop();
});

it('a limit is named with its unit: characters, items, or just the number', async () => {
  const product = await startTestProduct();
  const { owner, params } = await buildWorld(product, 'acme');
  const site = `/api/core/v1/organizations/${params.organization_id}/sites/${params.site_id}`;
  const refusal = async (method: string, path: string, body?: object) => {
    const { json } = await rawRequest(product, method, path, { as: owner, ...(body && { body }) });
    return json.meta.errors.map(({ message }) => message).join(' ');
  };
  const login = (password: string) =>
    refusal('POST', '/api/core/v1/users/token', { username: 'nora', password });
  expect(await login('x'.repeat(201))).toContain('must have at most 200 characters');
  expect(await login('')).toContain('must have at least 1 character');
  const tooMany = Array.from({ length: 201 }, () => params.site_id);
  expect(await refusal('PUT', `${site}/lists/order`, { ids: tooMany })).toContain('items');
  expect(await refusal('GET', `${site}/deliveries?limit=1000`)).toContain('must be at most 100');
  await product.stop();
});
