import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { updateList } from '#contract/lists.ts';
import { openCustomer, saveLists } from '#contract/public-preferences.ts';
import { addCustomer } from '#server/choices/choices/add-customer.ts';
import { saveChoice } from '#server/choices/choices/choices.ts';
import { LIMITS } from '#server/delivery/deliveries/dispatcher.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { openWire, type Wire } from '#test/harness/wire.ts';
import { buildWebhook, buildWorld, ON_THE_PAGE, type World } from '#test/harness/world.ts';

/*
 * What a save and its delivery cost the database, counted on the connection to PostgreSQL: round trips, and the statements
 * in each, with `begin`, the two settings of a site's transaction and `commit`.
 */

const PEOPLE = 32;
/** Of one receiver, at the same time. */
const SLOTS = LIMITS.ofReceiver;

const SAVE = [6, 7];
/** The mark that leads others to the site is one statement more. */
const FIRST_SAVE = [6, 8];
const RECORD = [6];

let wire: Wire;
let webWire: Wire;
let worker: TestProduct;
/** Saves, and leaves deliveries to the other. */
let web: TestProduct;
let receiver: WebhookReceiver;
let world: World;
let people: string[];

beforeAll(async () => {
  worker = await startTestProduct({
    worker: true,
    through: async (url) => {
      wire = await openWire(url);
      return wire.url;
    },
  });
  web = await startTestProduct({
    beside: worker,
    through: async (url) => {
      webWire = await openWire(url);
      return webWire.url;
    },
  });
  receiver = await startWebhookReceiver();
  world = await buildWorld(worker);
  await buildWebhook(worker, world, { url: receiver.url });
  people = await Promise.all(
    Array.from({ length: PEOPLE }, async (_, index) => {
      const address = `person-${index}@example.com`;
      const added = await addCustomer(worker.services, world.site.id, address, ON_THE_PAGE);
      return added?.id ?? expect.unreachable(address);
    }),
  );
  // Everything is prepared and kept that will be.
  for (const product of [worker, web]) {
    await saveAll(product, people, true);
    await delivered(() => saveAll(product, people, false));
    await saveAll(product, people, true);
    await delivered(() => saveAll(product, people.slice(0, 1), false));
  }
});

afterAll(async () => {
  await web.stop();
  await worker.stop();
  await wire.close();
  await webWire.close();
  await receiver.close();
});

function saveAll({ services }: TestProduct, ids: readonly string[], subscribed: boolean) {
  const wish = { lists: [{ list_id: world.weekly.id, subscribed }] };
  return Promise.all(ids.map((id) => saveChoice(services, world.site.id, id, wish, ON_THE_PAGE)));
}

async function isWorkDone(): Promise<boolean> {
  const { rows } = await worker.testDatabase.owner.query(
    'select from deliveries where next_attempt_at is not null limit 1',
  );
  return rows.length === 0;
}

/** Resolves when what was begun has arrived and is recorded. */
async function delivered(begin: () => Promise<unknown>): Promise<void> {
  await begin();
  await vi.waitUntil(isWorkDone, { interval: 20, timeout: 20_000 });
}

/** The statements of each round trip since the last call. */
const taken = async (from: Wire) =>
  (await from.take(world.site.id)).map(({ statements }) => statements.length);

async function isMarkGone(): Promise<boolean> {
  const { rows } = await worker.testDatabase.owner.query('select from sites_with_work');
  return rows.length === 0;
}

/** Everybody is subscribed, nothing is to be done, and the site has just been marked by such a save, or is not. */
async function prepare(product: TestProduct, { isMarked }: { isMarked: boolean }): Promise<void> {
  await delivered(() => saveAll(product, people, true));
  product.clock.advance({ minutes: 1 });
  await vi.waitUntil(isMarkGone, { timeout: 20_000 });
  if (isMarked) {
    await delivered(() => saveAll(product, people.slice(0, 1), false));
    await saveAll(product, people.slice(0, 1), true);
  }
  await taken(wire);
  await taken(webWire);
}

/** A save and its delivery. What runs at intervals, like the renewal of leases, may fall into one: count it again then. */
async function oneSave(product: TestProduct, how: { isMarked: boolean }): Promise<number[]> {
  await prepare(product, how);
  await delivered(() => saveAll(product, people.slice(0, 1), false));
  return taken(wire);
}

it('a save with one webhook takes two round trips, and its delivery one more', async () => {
  await expect.poll(() => oneSave(worker, { isMarked: true })).toEqual([...SAVE, ...RECORD]);
});

it('the first save in six seconds marks the site within the same two round trips', async () => {
  await expect.poll(() => oneSave(worker, { isMarked: false })).toEqual([...FIRST_SAVE, ...RECORD]);
});

it('simultaneous saves take as many round trips as two of them', async (context) => {
  const counts = async () => {
    const all: number[] = [];
    for (const size of [2, 8, PEOPLE]) {
      await prepare(web, { isMarked: true });
      // Until the worker has them, the signal that follows them may still be on its way.
      await delivered(() => saveAll(web, people.slice(0, size), false));
      const roundTrips = await taken(webWire);
      all.push(roundTrips.length);
      await context.annotate(`${size} saves: ${roundTrips.join(' ')}`);
    }
    return { different: new Set(all).size, isFew: Math.max(...all) <= 2 * SAVE.length };
  };
  await expect.poll(counts).toEqual({ different: 1, isFew: true });
});

it('deliveries that arrive at once are recorded together', async (context) => {
  await prepare(worker, { isMarked: true });
  const before = receiver.received.length;
  receiver.answerWith('hang');
  await saveAll(worker, people.slice(0, SLOTS), false);
  await receiver.waitFor(before + SLOTS);
  await taken(wire);
  receiver.answerWith({ status: 204 });
  await delivered(async () => receiver.answerHanging(204));
  const roundTrips = await taken(wire);
  await context.annotate(`${SLOTS} deliveries: ${roundTrips.join(' ')}`);
  expect(roundTrips.length).toBeLessThanOrEqual(SLOTS / 2);
});

it('a delivery that another process saved is leased by one poll', async () => {
  const both = async () => ({
    byWorker: await oneSave(web, { isMarked: true }),
    byWeb: await taken(webWire),
  });
  await expect.poll(both).toEqual({ byWorker: [4, 1, 3, 2, ...RECORD], byWeb: [...SAVE, 1] });
});

// The last: it changes a list, so that both processes read the site's rules again.
it('a save on a page with double opt-in takes the same two round trips; pending changes are read after them', async (context) => {
  const params = { ...world.params, id: world.offers.id };
  await web.call(updateList, { params, body: { double_opt_in: true } }, world.owner);
  const open = async () => {
    const body = { email: 'person-0@example.com', custom_path: world.page.custom_path };
    return (await web.call(openCustomer, { body }, world.visitor)).id;
  };
  const save = (customerId: string, weekly: boolean) => {
    const body = [
      { notification_list_id: world.weekly.id, subscribed: weekly },
      { notification_list_id: world.offers.id, subscribed: false },
    ];
    return web.call(saveLists, { params: { customerId }, body }, world.visitor);
  };
  const first = await open();
  for (const weekly of [true, false, true]) await delivered(() => save(first, weekly));
  const beginning = async () => {
    await prepare(web, { isMarked: true });
    const customerId = await open();
    await taken(webWire);
    await delivered(() => save(customerId, false));
    const roundTrips = await taken(webWire);
    await context.annotate(`A save: ${roundTrips.join(' ')}`);
    return roundTrips.slice(0, 2);
  };
  // The statement that cancels pending changes goes with the others. The signal of the save before may fall into one.
  await expect.poll(beginning).toEqual([SAVE[0], (SAVE[1] ?? 0) + 1]);
});
