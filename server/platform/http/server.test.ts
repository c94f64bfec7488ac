import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { rawRequest } from '#test/harness/http.ts';
import { startTestProduct } from '#test/harness/product.ts';
import { buildWorld } from '#test/harness/world.ts';

it('stopping does not wait for connections on which nobody sends anything, as browsers open them ahead', async () => {
  const product = await startTestProduct();
  const socket = connect(Number(new URL(product.url).port), '127.0.0.1');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await new Promise((resolve) => socket.once('connect', resolve));
  const began = performance.now();
  await product.stop();
  expect(performance.now() - began).toBeLessThan(15_000);
  await closed;
});

it('a limit is named with its unit: characters, items, or the number alone', async () => {
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
