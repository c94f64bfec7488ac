import { afterAll, beforeAll, expect, it } from 'vitest';
import { saveLists } from '#contract/public-preferences.ts';
import { isOnCitus } from '#test/harness/nodes.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildCustomer, buildWorld, openAsProven, type World } from '#test/harness/world.ts';
import { submitStatistics } from '#test/load/block-meter.ts';

let product: TestProduct;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
});

afterAll(() => product.stop());

// The rows that shards read are counted on the workers.
it.runIf(!isOnCitus)(
  'a save reads no more choices of someone who has made hundreds than of someone who has made a few',
  async () => {
    const { owner } = product.testDatabase;
    const { pool } = product.services.database;
    let saved = 0;
    const saveTimes = async (times: number, customerId: string) => {
      for (let count = 0; count < times; count += 1) {
        saved += 1;
        await product.call(
          saveLists,
          {
            params: { customerId },
            headers: { 'idempotency-key': `save-number-${saved}` },
            body: [{ notification_list_id: world.weekly.id, subscribed: saved % 2 === 1 }],
          },
          world.visitor,
        );
      }
    };
    const choicesRead = async () => {
      await submitStatistics(pool);
      const { rows } = await owner.query<{ read: string }>(
        `select seq_tup_read + idx_tup_fetch as read from pg_stat_user_tables where relname = 'choices'`,
      );
      return Number(rows[0]?.read);
    };
    const choicesReadBySaves = async (customerId: string) => {
      const before = await choicesRead();
      await saveTimes(20, customerId);
      return (await choicesRead()) - before;
    };

    await saveTimes(400, await openAsProven(product, world, await buildCustomer(product, world)));
    // Plans made while a table is empty choose among its indexes by chance.
    await owner.query('analyze');
    const customerId = await openAsProven(product, world, await buildCustomer(product, world));
    const few = await choicesReadBySaves(customerId);
    await saveTimes(400, customerId);
    const many = await choicesReadBySaves(customerId);
    expect(few).toBeGreaterThan(0);
    // Less than all choices of this customer once.
    expect(many).toBeLessThan(few + 400);
  },
);
