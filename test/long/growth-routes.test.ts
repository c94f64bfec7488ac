import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROUTES } from '#contract/routes.ts';
import { createMillions } from '#db/demo/millions.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { openBlockMeter } from '../load/block-meter.ts';
import { READS_OF_TOOLS } from '../load/growth-routes.ts';
import { COUNTS, FULL_PAGE, MONTHS, mostBlocks, WALKS } from '../load/growth-table.ts';
import { type GrowthWorld, openGrowthWorld } from '../load/growth-world.ts';

/*
 * What a route reads must not grow with the customers of a site, unless something else ends it. Every route of the contract
 * that reads is here, on the site of `npm run demo -- crowd=N` at two sizes. `npm run bench -- growth` is the same at
 * any size, with times.
 */

const SIZES = [4_000, 40_000];

/** Enough of them that reading all would show. */
const BESIDE_ONE_IN = 2;

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

it('every reading route of the contract is measured', async () => {
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

it(`a read touches as few blocks for ${SIZES[1]} customers as for ${SIZES[0]}`, async () => {
  await grow(SIZES[1] ?? 0);
  const fullPageOf = (name: string) =>
    Math.max(FULL_PAGE, touched.get(`${name.split(' ')[0]} newest`)?.[1] ?? 0);
  const grown = [...touched].filter(
    ([name, [first = 0, second = 0]]) =>
      ![WALKS, COUNTS, MONTHS].some((pattern) => pattern.test(name)) &&
      second > mostBlocks(first, fullPageOf(name)),
  );
  expect(grown).toEqual([]);
});
