import autocannon from 'autocannon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listLists } from '#contract/lists.ts';
import { saveLists } from '#contract/public-preferences.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildSite, buildWorld, openAsProven, type World } from '#test/harness/world.ts';
import { median } from '#test/load/measure.ts';

const FLOOD = 60;
const FLOOD_SECONDS = 1;
/** Many short ones: one round's ratio varies by a fifth, the median of eleven by a fiftieth. */
const ROUNDS = 11;

let product: TestProduct;
let acme: World;
let bolt: World;
let vera: string;

beforeAll(async () => {
  product = await startTestProduct();
  acme = await buildWorld(product);
  bolt = await buildWorld(product, 'bolt');
  vera = await openAsProven(product, acme, await buildCustomer(product, acme));
});

afterAll(() => product.stop());

let isOn = false;

/** One save of a customer of the other tenant, in milliseconds. */
async function timeSave(): Promise<number> {
  isOn = !isOn;
  const start = performance.now();
  await product.call(
    saveLists,
    { params: { customerId: vera }, body: [{ notification_list_id: acme.weekly.id, subscribed: isOn }] },
    acme.visitor,
  );
  return performance.now() - start;
}

/** Sixty callers at once, from a thread of their own; what is beyond the limit of lists is refused by the rule. */
async function flood({ params, owner }: World): Promise<void> {
  const result = await autocannon({
    url: `${product.url}/api/core/v1/organizations/${params.organization_id}/sites/${params.site_id}/lists`,
    method: 'POST',
    headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'One of many' }),
    connections: FLOOD,
    duration: FLOOD_SECONDS,
    workers: 1,
    timeout: 60,
  });
  expect(result).toMatchObject({ '5xx': 0, errors: 0, timeouts: 0 });
}

async function countOfLists({ params, owner }: World): Promise<number> {
  return (await product.call(listLists, { params }, owner)).results.length;
}

/** The other tenant's median save alone, and beside a flood of list creations. */
async function round(): Promise<{ alone: number; beside: number }> {
  const flooded = await buildSite(product, bolt.owner, bolt.params.organization_id);
  const alone: number[] = [];
  for (let n = 0; n < 50; n += 1) alone.push(await timeSave());
  let isOver = false;
  const flooding = flood(flooded).finally(() => {
    isOver = true;
  });
  await expect.poll(() => countOfLists(flooded), { timeout: 20_000 }).toBeGreaterThan(10);
  const beside: number[] = [];
  for (let n = 0; n < 50 && !isOver; n += 1) beside.push(await timeSave());
  await flooding;
  return { alone: median(alone), beside: median(beside) };
}

describe('a flood of one tenant', () => {
  it('waits in its own line, is not refused, and delays another tenant’s save to at most twice the time', async () => {
    const rounds: Awaited<ReturnType<typeof round>>[] = [];
    for (let n = 0; n < ROUNDS; n += 1) rounds.push(await round());
    expect(median(rounds.map(({ alone, beside }) => beside / alone))).toBeLessThanOrEqual(2);
  });
});
