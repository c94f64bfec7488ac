import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '#contract/client.ts';
import { type Customer, deleteCustomer, setCustomerLists, updateCustomer } from '#contract/customers.ts';
import { getDashboard, getListFigures } from '#contract/dashboard.ts';
import { applyImport } from '#contract/imports.ts';
import { createList, deleteList, type List } from '#contract/lists.ts';
import { createRandom, type Random } from '#db/demo/random.ts';
import { saveChoice } from '#server/choices/choices/choices.ts';
import { finishMerge } from '#server/visit/customers/merging.ts';
import { csv, uploadAndCheck, work } from '#test/harness/imports.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import {
  buildCustomer,
  buildSite,
  buildWebhook,
  buildWorld,
  ON_THE_PAGE,
  type World,
} from '#test/harness/world.ts';
import { dayOf, recountSite, tidyCounters } from './counters.ts';

let product: TestProduct;
let home: World;
let world: World;

beforeAll(async () => {
  product = await startTestProduct();
  home = await buildWorld(product);
});

beforeEach(async () => {
  world = await buildSite(product, home.owner, home.params.organization_id);
});

afterAll(() => product.stop());

async function rowsOf<Row extends object>(text: string): Promise<Row[]> {
  return (await product.testDatabase.owner.query<Row>(text, [world.site.id])).rows;
}

/** The figures from nothing but rows, as they were counted before there were counters. */
async function countedFromRows() {
  const present = 'customers.site_id = $1 and erased_at is null and merged_into is null';
  const [totals] = await rowsOf<Record<'customers' | 'choices' | 'unsent' | 'deliveries', number>>(
    `select (select count(*)::int from customers where ${present}) as customers,
       (select count(*)::int from choices where site_id = $1
        and not (events = '{customer_created}' and lists = '[]')) as choices,
       (select count(*)::int from choices where site_id = $1 and events <> '{}'
        and not (events = '{customer_created}' and lists = '[]') and source not in ('tool', 'merge', 'erasure')
        and not exists (select from deliveries where deliveries.site_id = $1 and choice_id = choices.id)) as unsent,
       (select count(*)::int from deliveries where site_id = $1) as deliveries`,
  );
  const [moves] = await rowsOf<Record<'joins' | 'leaves', number>>(
    `select (count(*) filter (where joined))::int as joins, (count(*) filter (where not joined))::int as leaves
     from subscription_changes where site_id = $1`,
  );
  const lists = await rowsOf<{ list_id: string; subscribers: number; joins: number; leaves: number }>(
    `select lists.id as list_id,
       (select count(*)::int from subscriptions join customers on customers.id = customer_id and ${present}
        where subscriptions.site_id = $1 and list_id = lists.id and subscribed and not global_unsubscribe) as subscribers,
       (select count(*)::int from subscription_changes where site_id = $1 and list_id = lists.id and joined) as joins,
       (select count(*)::int from subscription_changes where site_id = $1 and list_id = lists.id and not joined) as leaves
     from lists where site_id = $1 order by show_order, id`,
  );
  return { ...totals, ...moves, lists };
}

async function shown() {
  const call = { params: world.params };
  const dashboard = await product.call(getDashboard, { ...call, query: { range: '7d' } }, world.owner);
  const { results } = await product.call(getListFigures, call, world.owner);
  const { customers, choices, joins, leaves, deliveries } = dashboard;
  expect(customers.created.now).toBe(customers.total);
  expect(choices.periods.at(-1)).toBe(choices.now);
  return {
    customers: customers.total,
    choices: choices.now,
    unsent: choices.unsent,
    deliveries: deliveries.arrived + deliveries.waiting + deliveries.failed,
    joins: joins.now,
    leaves: leaves.now,
    lists: results.map(({ actions: _, ...figures }) => figures),
  };
}

const recount = () => recountSite(product.services, world.site.id, new Date(0));

const WAITING_FOR_CHOICES = `select from pg_locks where relation = 'choices'::regclass and not granted and $1::uuid is not null`;

async function expectTrueFigures(): Promise<void> {
  expect(await shown()).toEqual(await countedFromRows());
  expect(await recount()).toEqual([]);
}

/** Whom and what something is done with at random. */
interface Things {
  customers: Customer[];
  lists: List[];
}

/** What two do at once may be in the other's way: only what was done counts. */
async function unlessRefused(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
  });
}

function save(customer: Customer, change: Parameters<typeof saveChoice>[3]): Promise<unknown> {
  return saveChoice(product.services, world.site.id, customer.id, change, ON_THE_PAGE).catch(
    (error: unknown) => {
      if (!(error instanceof Error) || error.name !== 'AppError') throw error;
    },
  );
}

function stateAtRandom(random: Random, lists: readonly List[]) {
  return lists
    .filter(() => random.chance(0.5))
    .map(({ id }) => ({ list_id: id, subscribed: random.chance(0.5) }));
}

function doSomething(random: Random, { customers, lists }: Things): Promise<unknown> {
  const customer = random.pick(customers);
  const item = { params: { ...world.params, id: customer.id } };
  const list = random.pick(lists);
  const tomorrow = new Date(Date.now() + 86_400_000);
  const things: (() => Promise<unknown>)[] = [
    () => buildCustomer(product, world).then((made) => customers.push(made)),
    ...Array.from({ length: 4 }, () => () => {
      const body = [{ notification_list_id: list.id, subscribed: random.chance(0.6) }];
      return unlessRefused(product.call(setCustomerLists, { ...item, body }, world.owner));
    }),
    () => {
      const body = { global_unsubscribe: random.chance(0.5) };
      return unlessRefused(product.call(updateCustomer, { ...item, body }, world.owner));
    },
    () => save(customer, { pauseUntil: tomorrow }),
    () => save(customer, { globalUnsubscribe: false }),
    () => save(customer, { email: `${random.below(1e9)}@example.com` }),
    () => {
      const isAway = random.chance(0.3);
      const pausedUntil = isAway && random.chance(0.5) ? tomorrow : null;
      return save(customer, {
        restore: { globalUnsubscribe: isAway, pausedUntil, lists: stateAtRandom(random, lists) },
      });
    },
  ];
  if (random.chance(0.2)) things.push(() => unlessRefused(product.call(deleteCustomer, item, world.owner)));
  return random.pick(things)();
}

describe('the figures', () => {
  it('match the rows after anything, even many changes at once', async () => {
    const random = createRandom(7);
    await buildWebhook(product, world, { url: 'http://127.0.0.1:9/' });
    const third = await product.call(
      createList,
      { params: world.params, body: { name: 'Third', subscription_default_state: true } },
      world.owner,
    );
    const things: Things = { customers: [], lists: [world.weekly, world.offers, third] };
    for (let count = 0; count < 8; count += 1) things.customers.push(await buildCustomer(product, world));
    for (let round = 0; round < 25; round += 1) {
      await Promise.all(Array.from({ length: 12 }, () => doSomething(random, things)));
    }
    const deleted = { params: { ...world.params, id: world.offers.id } };
    await Promise.all([
      product.call(deleteList, deleted, world.owner),
      ...Array.from({ length: 12 }, () => doSomething(random, things)),
    ]);
    await expectTrueFigures();
  }, 60_000);

  it('match the rows after a list was deleted while somebody left it', async () => {
    const vera = await buildCustomer(product, world);
    const body = { name: 'Fourth', subscription_default_state: false };
    const fourth = await product.call(createList, { params: world.params, body }, world.owner);
    await save(vera, { lists: [{ list_id: fourth.id, subscribed: true }] });
    const holding = await product.testDatabase.owner.connect();
    let leaving: ReturnType<typeof save>;
    try {
      await holding.query('begin');
      await holding.query('lock table choices in exclusive mode');
      // It has read that the list is on, and waits to write.
      leaving = save(vera, { globalUnsubscribe: true });
      await expect.poll(async () => (await rowsOf(WAITING_FOR_CHOICES)).length).toBeGreaterThan(0);
      await product.call(deleteList, { params: { ...world.params, id: fourth.id } }, world.owner);
      await holding.query('commit');
    } finally {
      holding.release(true);
    }
    await leaving;
    await expectTrueFigures();
  });

  it('match the rows after an import', async () => {
    const vera = await buildCustomer(product, world, 'vera@example.com');
    const rows = ['email,Offers,Weekly news', 'vera@example.com,yes,no', 'ada@example.com,yes,yes'];
    const checked = await uploadAndCheck(product, world, csv(...rows), {
      mapping: {
        email: 'email',
        lists: [
          { column: 'Offers', list_id: world.offers.id },
          { column: 'Weekly news', list_id: world.weekly.id },
        ],
      },
    });
    const params = { ...world.params, id: checked.id };
    await product.call(applyImport, { params }, world.owner);
    expect(await work(product, world, checked.id)).toMatchObject({ status: 'finished' });
    expect(await countedFromRows()).toMatchObject({ customers: 2 });
    await expectTrueFigures();
    await product.call(deleteCustomer, { params: { ...world.params, id: vera.id } }, world.owner);
    await expectTrueFigures();
  });

  it('count two customers who turned out to be one as one, also after they are erased', async () => {
    const [ana, twin] = [await buildCustomer(product, world), await buildCustomer(product, world)];
    await save(ana, { lists: [{ list_id: world.offers.id, subscribed: true }] });
    await save(twin, { lists: [{ list_id: world.weekly.id, subscribed: true }] });
    await rowsOf(
      `update customers set email_key = null, merged_into = '${ana.id}' where site_id = $1 and id = '${twin.id}'`,
    );
    await recount();
    await expectTrueFigures();
    await finishMerge(product.services, world.site.id, twin.id);
    await expectTrueFigures();
    await product.call(deleteCustomer, { params: { ...world.params, id: twin.id } }, world.owner);
    expect(await countedFromRows()).toMatchObject({ customers: 0 });
    await expectTrueFigures();
  });
});

describe('counters', () => {
  async function chooseOften(): Promise<void> {
    const vera = await buildCustomer(product, world);
    for (const subscribed of [true, false, true]) {
      await save(vera, { lists: [{ list_id: world.offers.id, subscribed }] });
    }
  }

  it('are corrected at night, and those of past days are merged into one row each', async () => {
    await chooseOften();
    const day = dayOf(new Date());
    const longAgo = day - 20;
    await rowsOf(
      `update counters set day = ${longAgo} where site_id = $1 and day = ${day} and metric = 'choices'`,
    );
    // As after saves by a version that did not count.
    await rowsOf(`delete from counters where site_id = $1 and metric = 'joins'`);
    await tidyCounters(product.services, world.site.id);
    expect(await shown()).toEqual(await countedFromRows());
    const slots = await rowsOf(
      `select metric, slot, value::int from counters where site_id = $1 and day = ${longAgo}`,
    );
    expect(slots).toEqual([{ metric: 'choices', slot: 0, value: 3 }]);
  });

  it('are corrected once when two nightly jobs run at the same time', async () => {
    await chooseOften();
    await rowsOf(`delete from counters where site_id = $1`);
    await Promise.all(Array.from({ length: 4 }, recount));
    await expectTrueFigures();
  });
});
