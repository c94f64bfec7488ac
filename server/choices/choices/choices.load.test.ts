import { afterAll, beforeAll, expect, it } from 'vitest';
import { saveLists } from '#contract/public-preferences.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWorld, openAsProven, type World } from '#test/harness/world.ts';
import { openBlockMeter } from '#test/load/block-meter.ts';

let product: TestProduct;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
});

afterAll(() => product.stop());

it('more saves at once than there are connections all succeed, also when nothing is cached', async () => {
  const { pool } = product.services.database;
  const customers = await Promise.all(Array.from({ length: 8 }, () => buildCustomer(product, world)));
  const sealed = await Promise.all(customers.map((customer) => openAsProven(product, world, customer)));
  for (let round = 0; round < 3; round += 1) {
    product.services.cache.evict(`site:${world.site.id}`);
    const saves = Array.from({ length: pool.options.max * 3 }, (_, index) =>
      product.call(
        saveLists,
        {
          params: { customerId: sealed[index % sealed.length] ?? '' },
          body: [{ notification_list_id: world.weekly.id, subscribed: index % 2 === 0 }],
        },
        world.visitor,
      ),
    );
    const saved = await Promise.all(saves);
    expect(saved).toHaveLength(saves.length);
  }
});

it('a save touches no more blocks for someone with hundreds of choices than for someone with a few', async () => {
  let saved = 0;
  const saveOf = (customerId: string) => () => {
    saved += 1;
    return product.call(
      saveLists,
      {
        params: { customerId },
        headers: { 'idempotency-key': `save-number-${saved}` },
        body: [{ notification_list_id: world.weekly.id, subscribed: saved % 2 === 1 }],
      },
      world.visitor,
    );
  };
  const saveOther = saveOf(await openAsProven(product, world, await buildCustomer(product, world)));
  for (let count = 0; count < 400; count += 1) await saveOther();
  // Plans made while a table is empty choose among its indexes by chance.
  await product.testDatabase.owner.query('analyze');
  const save = saveOf(await openAsProven(product, world, await buildCustomer(product, world)));
  const meter = await openBlockMeter(product.testDatabase.ownerUrl, product.services.database.pool);
  try {
    // Until each connection has prepared its statements.
    await meter.costOf(save, 10);
    const few = await meter.costOf(save, 20);
    for (let count = 0; count < 400; count += 1) await save();
    const many = await meter.costOf(save, 20);
    expect(many.blocks).toBeLessThan(few.blocks + 20);
  } finally {
    await meter.close();
  }
});
