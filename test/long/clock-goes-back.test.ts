import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { listCustomerEvidence } from '#contract/choices.ts';
import { setCustomerLists } from '#contract/customers.ts';
import { createTestDatabase, type TestDatabase } from '#test/harness/database.ts';
import { callsTo, type Calls } from '#test/harness/product.ts';
import { type ProductProcess, startProductProcess } from '#test/harness/product-process.ts';
import { buildCustomer, buildWorld } from '#test/harness/world.ts';

/** Before anything else is loaded: from then on it is a day earlier. */
const A_DAY_EARLIER = `data:text/javascript,${encodeURIComponent(
  'const now = Date.now; const Real = Date; const shift = 86400000;' +
    'globalThis.Date = class extends Real { constructor(...a) { a.length === 0 ? super(now() - shift) : super(...a); }' +
    ' static now() { return now() - shift; } };',
)}`;

let database: TestDatabase;
let product: ProductProcess;

async function start(env: Record<string, string> = {}): Promise<Calls> {
  product = await startProductProcess({
    env: { DATABASE_URL: database.ownerUrl, SECRET_KEY: inject('secretKey'), ROLE: 'web', ...env },
  });
  await product.untilReady();
  return callsTo(product.url);
}

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(async () => {
  await product.stop();
  await database.drop();
});

it('after the clock goes back a day, the last thing that a person did still comes first', async () => {
  const before = await start();
  const world = await buildWorld(before);
  const vera = await buildCustomer(before, world);
  const params = { ...world.params, id: vera.id };
  const choose = (calls: Calls, subscribed: boolean) =>
    calls.call(
      setCustomerLists,
      { params, body: [{ notification_list_id: world.weekly.id, subscribed }] },
      world.owner,
    );
  await choose(before, true);
  await product.stop();

  const after = await start({ NODE_OPTIONS: `--import=${A_DAY_EARLIER}` });
  await choose(after, false);
  await choose(after, true);
  const pages: number[][] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: 2, ...(cursor === undefined ? {} : { cursor }) };
    const page = await after.call(listCustomerEvidence, { params, query }, world.owner);
    pages.push(page.results.map(({ sequence }) => sequence));
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  expect(pages).toEqual([
    [4, 3],
    [2, 1],
  ]);
});
