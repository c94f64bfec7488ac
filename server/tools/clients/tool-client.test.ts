import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { brevo } from '#server/connectors/brevo/index.ts';
import type { Connector } from '#server/connectors/connector.ts';
import { newId } from '#server/platform/ids.ts';
import { encryptAuth } from '#server/tools/integrations/credentials.ts';
import { startFakeServer } from '#test/fakes/tools/fake-tool.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { paceOf } from './rate-limit.ts';
import { RateLimitReached, toolApiWithCredentials } from './tool-client.ts';
import { reserveSlot, reserveToolSlot } from './reservations.ts';

let product: TestProduct;
let tool: Awaited<ReturnType<typeof startFakeServer>>;
const underWay: (() => void)[] = [];

beforeAll(async () => {
  product = await startTestProduct();
  tool = await startFakeServer((http) => {
    http.get('/quick', async () => ({}));
    http.get('/held', async () => {
      await new Promise<void>((resolve) => underWay.push(resolve));
      return {};
    });
  });
});

beforeEach(() => {
  tool.seen.length = 0;
});

afterAll(async () => {
  await product.stop();
  await tool.close();
});

const CALL = { method: 'GET', path: '/quick' } as const;
const HELD = { method: 'GET', path: '/held' } as const;

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

it('an account gets no more calls at a time than it allows, no matter who makes them', async () => {
  const connector = toolWith('narrow', { limits: [], concurrency: 2 });
  const one = toolApiWithCredentials(product.services, connector, { account: 'acme', key: 'one' });
  const two = toolApiWithCredentials(product.services, connector, { account: 'acme', key: 'two' });
  const all = Promise.all(Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? one : two).call(HELD)));
  for (let ended = 0; ended < 8; ended += 1) {
    await expect.poll(() => tool.seen.length).toBe(Math.min(ended + 2, 8));
    underWay.shift()?.();
  }
  await all;
});

it('the calls of an account are counted together, and none goes beyond its limit', async () => {
  // Two at once, then one every 76 seconds.
  const connector = toolWith('counted', { limits: [{ requests: 50, perSeconds: 3600 }], concurrency: 5 });
  const one = toolApiWithCredentials(product.services, connector, { account: 'acme', key: 'one' });
  const two = toolApiWithCredentials(product.services, connector, { account: 'acme', key: 'two' });
  await one.call(CALL);
  await two.call(CALL);
  await expect(two.call(CALL)).rejects.toMatchObject({ kind: 'rate_limited', retryAfterSeconds: 8 });
  expect(tool.seen).toHaveLength(2);
  await toolApiWithCredentials(product.services, connector, { account: 'globex', key: 'one' }).call(CALL);
  expect(tool.seen).toHaveLength(3);
  product.clock.advance({ seconds: 9 });
  await one.call(CALL);
  expect(tool.seen).toHaveLength(4);
});

it.each([1, 3, 5, 10, 100, 3600])('an account gets no more than %d calls in any window', (requests) => {
  const perSeconds = 10;
  const { intervalMs, aheadMs } = paceOf({ requests, perSeconds });
  const calls: number[] = [];
  let freeAt = 0;
  for (let now = 0; now < 4 * perSeconds * 1000; now += 1) {
    // As many as are granted at this moment, after a rest and without one.
    while (Math.max(freeAt, now) <= now + aheadMs) {
      freeAt = Math.max(freeAt, now) + intervalMs;
      calls.push(now);
    }
  }
  for (const from of calls) {
    const inWindow = calls.filter((at) => at >= from && at < from + perSeconds * 1000).length;
    expect(inWindow).toBeLessThanOrEqual(requests);
  }
  expect(calls.length / 4).toBeGreaterThan(requests * 0.94 - 1);
});

it('half of a day’s quota is granted at once, and no more than all of it in any day', () => {
  const requests = 1000;
  const dayMs = 86_400_000;
  const { intervalMs, aheadMs } = paceOf({ requests, perSeconds: 86_400 });
  const calls: number[] = [];
  let freeAt = 0;
  for (let now = 0; now < 4 * dayMs; now += 60_000) {
    while (Math.max(freeAt, now) <= now + aheadMs) {
      freeAt = Math.max(freeAt, now) + intervalMs;
      calls.push(now);
    }
  }
  expect(calls.filter((at) => at === 0).length).toBeGreaterThan(requests * 0.49);
  for (const from of calls) {
    expect(calls.filter((at) => at >= from && at < from + dayMs).length).toBeLessThanOrEqual(requests);
  }
});

it('background work keeps half of that for deliveries', async () => {
  const limits = [{ requests: 20, perSeconds: 86_400 }];
  const connector = toolWith('daily', { limits, concurrency: 5 });
  const of = (purpose: 'background' | 'delivery') =>
    toolApiWithCredentials(product.services, connector, { account: 'acme' }, { purpose });
  const callsUntilRefused = async (purpose: 'background' | 'delivery') => {
    for (let made = 0; ; made += 1) {
      try {
        await of(purpose).call(CALL);
      } catch (error) {
        expect(error).toBeInstanceOf(RateLimitReached);
        return made;
      }
    }
  };
  expect(await callsUntilRefused('background')).toBe(5);
  expect(await callsUntilRefused('delivery')).toBe(5);
});

it('background work leaves deliveries the quota they use', async () => {
  const connector = toolWith('shared', { limits: [{ requests: 50, perSeconds: 3600 }], concurrency: 5 });
  const credentials = { account: 'acme' };
  await toolApiWithCredentials(product.services, connector, credentials, { purpose: 'delivery' }).call(CALL);
  const background = toolApiWithCredentials(product.services, connector, credentials, {
    purpose: 'background',
  });
  await expect(background.call(CALL)).rejects.toMatchObject({ kind: 'rate_limited' });
  await toolApiWithCredentials(product.services, connector, credentials, { purpose: 'delivery' }).call(CALL);
  expect(tool.seen).toHaveLength(2);
});

it('an account that reports too many calls is paused, and then called more slowly', async () => {
  const connector = toolWith('strict', { limits: [], concurrency: 5 });
  const credentials = { account: 'acme' };
  const call = (account = 'acme') =>
    toolApiWithCredentials(
      product.services,
      connector,
      { ...credentials, account },
      { purpose: 'delivery' },
    ).call(CALL);
  await call();
  tool.trouble({ status: 429, headers: { 'retry-after': '60' } });
  await expect(call()).rejects.toMatchObject({ kind: 'rate_limited', retryAfterSeconds: 60 });
  await expect(call()).rejects.toBeInstanceOf(RateLimitReached);
  expect(tool.seen).toHaveLength(2);
  await call('globex');
  product.clock.advance({ seconds: 61 });
  await call();
  const [pace] = (
    await product.testDatabase.owner.query(
      "select max(slowdown) as slowdown from tool_rate_limits where account like 'strict:%'",
    )
  ).rows as [{ slowdown: number }];
  expect(pace.slowdown).toBeGreaterThan(1.9);
});

it('a limit of each endpoint holds up no other endpoint, and neither does a 429 of one', async () => {
  const limit = { requests: 1, perSeconds: 60 };
  const endpointOf = ({ url }: { url: string }) => new URL(url).pathname;
  const connector = toolWith('parted', { limits: [{ ...limit, endpointOf }], concurrency: 5 });
  const api = toolApiWithCredentials(
    product.services,
    connector,
    { account: 'acme' },
    { purpose: 'delivery' },
  );
  await api.call(CALL);
  await expect(api.call(CALL)).rejects.toBeInstanceOf(RateLimitReached);
  const held = api.call(HELD);
  await expect.poll(() => tool.seen.length).toBe(2);
  underWay.shift()?.();
  await held;
  product.clock.advance({ seconds: 64 });
  tool.trouble({ status: 429, headers: { 'retry-after': '600' } });
  await expect(api.call(CALL)).rejects.toMatchObject({ kind: 'rate_limited', retryAfterSeconds: 600 });
  const other = api.call(HELD);
  await expect.poll(() => tool.seen.length).toBe(4);
  underWay.shift()?.();
  await other;
  await expect(api.call(CALL)).rejects.toBeInstanceOf(RateLimitReached);
});

it('everybody who waits gets a place of their own', async () => {
  const limit = { requests: 5, perSeconds: 1 };
  const connector = toolWith('lined', { limits: [limit], concurrency: 5 });
  const { intervalMs } = paceOf(limit);
  const ofTwoCallsMs = 2 * intervalMs;
  const now = product.clock.now().getTime();
  const [siteId, id] = [newId(), newId()];
  const auth = { kind: 'credentials', credentials: { account: 'acme' } } as const;
  const row = {
    site_id: siteId,
    id,
    credentials_sealed: encryptAuth(product.services, siteId, id, auth),
  };
  const places = await Promise.all(
    Array.from({ length: 20 }, () =>
      reserveToolSlot(product.services, connector, row, { calls: 2, intervalMs }),
    ),
  );
  const inOrder = places.map((at) => at.getTime() - now).toSorted((one, other) => one - other);
  for (const [index, ms] of inOrder.entries()) {
    expect(Math.abs(ms - ofTwoCallsMs * (index + 1))).toBeLessThan(ofTwoCallsMs);
  }
});

it('the answer says which limit was reached: a pace, however much of the day’s quota is left', async () => {
  const pace = { requests: 1, perSeconds: 60 };
  const quota = { requests: 100, perSeconds: 86_400 };
  const connector = toolWith('both', { limits: [pace, quota], concurrency: 5 });
  const api = toolApiWithCredentials(
    product.services,
    connector,
    { account: 'acme' },
    { purpose: 'delivery' },
  );
  await api.call(CALL);
  await expect(api.call(CALL)).rejects.toMatchObject({ intervalMs: paceOf(pace).intervalMs });
});

it('the line does not grow by those who return', async () => {
  const line = 'places:crowded';
  const now = product.clock.now().getTime();
  // Places for an hour and forty minutes, of which nobody waits for more than half an hour.
  for (let count = 0; count < 100; count += 1) {
    expect((await reserveSlot(product.services, line, 60_000)).getTime() - now).toBeLessThan(1_860_000);
  }
  product.clock.advance({ minutes: 30 });
  expect((await reserveSlot(product.services, line, 60_000)).getTime() - now).toBeLessThan(3_000_000);
});

it('a pause lasts a day at most, whatever a tool says', async () => {
  const connector = toolWith('mistaken', { limits: [], concurrency: 5 });
  const api = toolApiWithCredentials(
    product.services,
    connector,
    { account: 'acme' },
    { purpose: 'delivery' },
  );
  tool.trouble({ status: 429, headers: { 'retry-after': '9'.repeat(30) } });
  await expect(api.call(CALL)).rejects.toMatchObject({ kind: 'rate_limited', retryAfterSeconds: 86_400 });
  await expect(api.call(CALL)).rejects.toBeInstanceOf(RateLimitReached);
  product.clock.advance({ hours: 25 });
  await api.call(CALL);
});

it('a limit that is free again in a moment is waited for', async () => {
  const connector = toolWith('brisk', { limits: [{ requests: 2, perSeconds: 1 }], concurrency: 5 });
  const api = toolApiWithCredentials(product.services, connector, { account: 'acme' });
  for (let call = 0; call < 5; call += 1) await api.call(CALL);
  expect(tool.seen).toHaveLength(5);
});
