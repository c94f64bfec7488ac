import { afterAll, beforeAll, it } from 'vitest';
import { listCustomerEvidence } from '#contract/choices.ts';
import { listCustomers } from '#contract/customers.ts';
import { saveLists } from '#contract/public-preferences.ts';
import { startTestProduct, type TestProduct } from './harness/product.ts';
import { buildCustomer, buildWorld, openAsProven, type World } from './harness/world.ts';

/** While processes are replaced one after the other, those of this version work on tables of the next one. */
const TABLES = [
  'customers',
  'subscriptions',
  'choices',
  'lists',
  'preference_pages',
  'sites',
  'users',
  'deliveries',
];

let product: TestProduct;
let world: World;
let sealed: string;
let customerId: string;

beforeAll(async () => {
  product = await startTestProduct();
  world = await buildWorld(product);
  const vera = await buildCustomer(product, world);
  customerId = vera.id;
  sealed = await openAsProven(product, world, vera);
});

afterAll(() => product.stop());

const save = (subscribed: boolean) =>
  product.call(
    saveLists,
    { params: { customerId: sealed }, body: [{ notification_list_id: world.weekly.id, subscribed }] },
    world.visitor,
  );

async function useEverything(): Promise<void> {
  await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      await save(index % 2 === 0);
      await product.call(listCustomers, { params: world.params, query: {} }, world.owner);
      await product.call(
        listCustomerEvidence,
        { params: { ...world.params, id: customerId }, query: {} },
        world.owner,
      );
      await buildCustomer(product, world);
    }),
  );
}

it('an upgrade that adds columns refuses nothing to those whom a process of the previous version serves', async () => {
  await useEverything();
  for (const table of TABLES) {
    await product.testDatabase.owner.query(`alter table ${table} add column of_the_next_version integer`);
    await useEverything();
  }
});
