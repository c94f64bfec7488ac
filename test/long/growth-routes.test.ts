import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROUTES } from '#contract/routes.ts';
import { createMillions } from '#db/demo/millions.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { openBlockMeter } from '../load/block-meter.ts';
import { READS_OF_TOOLS } from '../load/growth-routes.ts';
import { type GrowthWorld, openGrowthWorld } from '../load/growth-world.ts';

/*
 * What a route reads must not grow with the customers of a site, unless something else ends it. Every route of the contract
 * that reads is here, on the site of `npm run demo -- crowd=N` at two sizes. `npm run bench -- growth` is the same at
 * any size, with times.
 */

const SIZES = [4_000, 40_000];

/** Enough of them that reading all would show. */
const BESIDE_ONE_IN = 2;

/** Looks at a walk of customers, 100,000 at most (decision 044): `growth.test.ts` holds that it ends. */
const WALKS = /^(listCustomers|countCustomers|exportCustomers) /;

/** Ends at so many rows, which these sites do not have: 1,000 judged leaves and as many reasons, 10,000 or 100,000 counted. */
const COUNTS = /^(getLeaveJudgements|countReplays|listDifferences)/;

/** Of 25 rows with what belongs to them, where the smaller site had none; or what the newest page of the same route costs. */
const FULL_PAGE = 300;

/** Of the last 30 days; an erasure looks through every cell of their imports. */
const MONTHS = /^(listBulkChanges|getActionFigures|erase a customer)/;

let product: TestProduct;
const touched = new Map<string, number[]>();

beforeAll(async () => {
  // Few connections, so that each has prepared the statements after a few calls.
  product = await startTestProduct({ env: { DATABASE_CONNECTIONS: '6' } });
});

afterAll(() => product.stop());

async function measure({ reads, writes }: GrowthWorld): Promise<void> {
  const { testDatabase, services } = product;
  const meter = await openBlockMeter(testDatabase.ownerUrl, services.database.pool);
  try {
    for (const { route, variant, run } of reads) {
      const { fewestBlocks } = await meter.costOf(run, 3);
      const name = `${route} ${variant}`;
      touched.set(name, [...(touched.get(name) ?? []), fewestBlocks]);
    }
    for (const { name, run } of writes) {
      const { fewestBlocks } = await meter.costOf(run, 7);
      touched.set(name, [...(touched.get(name) ?? []), fewestBlocks]);
    }
  } finally {
    await meter.close();
  }
}

it('reads by every route of the contract', async () => {
  await grow(SIZES[0] ?? 0);
  const reading = [...ROUTES].flatMap(([name, { method }]) => (method === 'GET' ? [name] : []));
  const read = new Set([...touched.keys()].map((name) => name.split(' ')[0]));
  expect(reading.filter((name) => !read.has(name) && !READS_OF_TOOLS.has(name))).toEqual([]);
});

async function grow(customers: number): Promise<void> {
  const { services, testDatabase, url } = product;
  await createMillions(services, { customers, ownerUrl: testDatabase.ownerUrl, say: () => {} });
  await measure(
    await openGrowthWorld({
      base: url,
      services,
      ownerUrl: testDatabase.ownerUrl,
      besideOneIn: BESIDE_ONE_IN,
    }),
  );
}

it(`touches as few blocks for ${SIZES[1]} customers as for ${SIZES[0]}`, async () => {
  await grow(SIZES[1] ?? 0);
  const fullPageOf = (name: string) =>
    Math.max(FULL_PAGE, touched.get(`${name.split(' ')[0]} newest`)?.[1] ?? 0);
  const grown = [...touched].filter(
    ([name, [first = 0, second = 0]]) =>
      ![WALKS, COUNTS, MONTHS].some((pattern) => pattern.test(name)) &&
      second > Math.max(4 * first + 150, fullPageOf(name)),
  );
  expect(grown).toEqual([]);
});
