import { afterAll, beforeAll, expect, it } from 'vitest';
import { saveLists } from '#contract/public-preferences.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWorld, openAsProven, type World } from '#test/harness/world.ts';

let product: TestProduct;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
});

afterAll(() => product.stop());

it('more simultaneous saves than there are connections all succeed, even with an empty cache', async () => {
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
