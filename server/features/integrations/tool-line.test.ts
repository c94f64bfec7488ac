import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { brevo } from '#server/connectors/brevo/index.ts';
import type { Connector } from '#server/connectors/connector.ts';
import { startFakeServer } from '#test/fakes/tools/fake-tool.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { lineTo } from './tool-line.ts';

let product: TestProduct;
let tool: Awaited<ReturnType<typeof startFakeServer>>;
let running = 0;
let most = 0;

beforeAll(async () => {
  product = await startTestProduct();
  tool = await startFakeServer((http) => {
    http.get('/slow', async () => {
      running += 1;
      most = Math.max(most, running);
      await sleep(20);
      running -= 1;
      return {};
    });
  });
});

beforeEach(() => {
  tool.seen.length = 0;
  most = 0;
});

afterAll(async () => {
  await product.stop();
  await tool.close();
});

const CALL = { method: 'GET', path: '/slow' } as const;

/** A tool of its own for each test, so that nobody has used its limits. */
function toolWith(id: string, parts: Partial<Connector>): Connector {
  const connect = () => ({ baseUrl: tool.url, headers: {} });
  return {
    ...brevo,
    id,
    envName: id.toUpperCase(),
    connect,
    accountOf: ({ account = '' }) => account,
    ...parts,
  };
}

it('makes no more calls at a time than an account allows, whoever makes them', async () => {
  const connector = toolWith('narrow', { limits: [], concurrency: 2 });
  const one = lineTo(product.services, connector, { account: 'acme', key: 'one' });
  const two = lineTo(product.services, connector, { account: 'acme', key: 'two' });
  await Promise.all(Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? one : two).call(CALL)));
  expect(tool.seen).toHaveLength(8);
  expect(most).toBe(2);
});

it('counts the calls of an account together, and makes none beyond its limit', async () => {
  const limits = [{ requests: 3, perSeconds: 3600 }];
  const connector = toolWith('counted', { limits, concurrency: 5 });
  const one = lineTo(product.services, connector, { account: 'acme', key: 'one' });
  const two = lineTo(product.services, connector, { account: 'acme', key: 'two' });
  await one.call(CALL);
  await two.call(CALL);
  await one.call(CALL);
  const refused = two.call(CALL);
  await expect(refused).rejects.toMatchObject({ kind: 'rate_limited' });
  expect(tool.seen).toHaveLength(3);
  await lineTo(product.services, connector, { account: 'globex', key: 'one' }).call(CALL);
  expect(tool.seen).toHaveLength(4);
});

it('waits for a limit that is free again in a moment', async () => {
  const connector = toolWith('brisk', { limits: [{ requests: 2, perSeconds: 1 }], concurrency: 5 });
  const line = lineTo(product.services, connector, { account: 'acme' });
  for (let call = 0; call < 5; call += 1) await line.call(CALL);
  expect(tool.seen).toHaveLength(5);
});
