import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { addCustomer } from '#server/choices/choices/add-customer.ts';
import { type ChoiceChange, type ChoiceContext, saveChoice } from '#server/choices/choices/choices.ts';
import { eraseCustomer } from '#server/visit/customers/erasure.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import {
  createDeliveryWorkers,
  dueOf,
  SOONER_THAN_A_LEASE_ENDS_MS,
  untilDone,
} from '#test/harness/delivery-workers.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildSite, buildWebhook, buildWorld, ON_THE_PAGE, type World } from '#test/harness/world.ts';
import { replayDelivery } from './deliveries.ts';
import { deliveriesWithChoices } from './deliveries.sql.ts';
import * as statements from './delivery-queue.sql.ts';
import { LEASE_MS } from './delivery-queue.ts';
import { LIMITS } from './dispatcher.ts';
/*
 * Two processes on one database, of which a test makes one, both or none a worker. What takes a while is in
 * `test/long/delivery-queue.test.ts`.
 */

let here: TestProduct;
let there: TestProduct;
let home: World;
let receiver: WebhookReceiver;
let world: World;
const workers = createDeliveryWorkers();

beforeAll(async () => {
  here = await startTestProduct();
  there = await startTestProduct({ beside: here });
  home = await buildWorld(here);
});

afterAll(async () => {
  await there.stop();
  await here.stop();
});

beforeEach(async () => {
  receiver = await startWebhookReceiver();
  world = await buildSite(here, home.owner, home.params.organization_id);
  await buildWebhook(here, world, { url: receiver.url });
});

afterEach(async () => {
  receiver.answerWith({ status: 204 });
  receiver.answerHanging(204);
  await workers.stopAll();
  await here.testDatabase.owner.query('update deliveries set next_attempt_at = null');
  await here.testDatabase.owner.query('delete from sites_with_work');
  await receiver.close();
});

async function addPeople(count: number, at = world): Promise<string[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const address = `person-${index}@example.com`;
      const added = await addCustomer(here.services, at.site.id, address, ON_THE_PAGE);
      return added?.id ?? expect.unreachable(address);
    }),
  );
}

function choose(product: TestProduct, id: string, change: ChoiceChange, how: ChoiceContext = ON_THE_PAGE) {
  return saveChoice(product.services, world.site.id, id, change, how);
}

function setWeekly(product: TestProduct, id: string, subscribed: boolean) {
  return choose(product, id, { lists: [{ list_id: world.weekly.id, subscribed }] });
}

const leave = (product: TestProduct, id: string) => setWeekly(product, id, false);

const deliveries = () => dueOf(here, world.site.id);

const untilQuiet = (timeout?: number) => untilDone(here, world.site.id, timeout);

describe('a delivery that is queued in memory', () => {
  const SEEN: ChoiceContext = {
    ...ON_THE_PAGE,
    language: 'de',
    ip: '192.0.2.7',
    userAgent: 'Browser/1.0 (ü)',
    saveId: 'a-save-id',
    saveBody: { some: 'body' },
    reason: { key: 'too_many', text: null },
  } as ChoiceContext;

  it('equals the row that would be read for it, whatever was chosen', async () => {
    for (const event of ['subscribed', 'global_unsubscribed'] as const) {
      await buildWebhook(here, world, { url: receiver.url, event });
    }
    const { given, letGo } = workers.holding(here);
    letGo();
    const [id = ''] = await addPeople(1);
    const both = [world.weekly, world.offers].map((list) => ({ list_id: list.id, subscribed: true }));
    await leave(here, id);
    await choose(here, id, { lists: both }, SEEN);
    await choose(here, id, { pauseUntil: new Date('2099-01-01T00:00:00.123Z') });
    await choose(here, id, { email: 'moved@example.com', globalUnsubscribe: true }, SEEN);
    await choose(here, id, { globalUnsubscribe: false });
    await untilQuiet();
    expect(new Set(given.map(({ row }) => row.event)).size).toBe(3);
    const ids = given.map(({ row }) => row.delivery_id);
    const read = await here.services.database.readOnce(world.site.id, (db) =>
      deliveriesWithChoices(db, world.site.id, ids),
    );
    for (const { row } of given) {
      const same = read.find((one) => one.delivery_id === row.delivery_id);
      // What became of it since, and when its lease ended.
      const { status: _s, next_attempt_at: _a, ...rest } = row;
      expect({ ...same, status: undefined, next_attempt_at: undefined }).toEqual(rest);
    }
  });

  it('runs at once, and is leased to this process from the start', async () => {
    const { given } = workers.holding(here);
    workers.holding(there);
    const [id = ''] = await addPeople(1);
    const began = here.clock.now().getTime();
    await leave(here, id);
    expect(given).toHaveLength(1);
    const [only] = await deliveries();
    expect(only?.at?.getTime()).toBeGreaterThan(began + 20_000);
  });
});

describe('a process without a worker', () => {
  it('wakes the worker of another one, also while somebody else has the site’s mark', async () => {
    workers.answering(there);
    const [first = '', second = ''] = await addPeople(2);
    await leave(here, first);
    await receiver.waitFor(1);
    await untilQuiet();
    const client = await here.testDatabase.owner.connect();
    try {
      await client.query('begin');
      await client.query('select from sites_with_work where site_id = $1 for update', [world.site.id]);
      await leave(here, second);
      await sleep(200);
    } finally {
      await client.query('commit');
      client.release();
    }
    await receiver.waitFor(2);
  });
});

it('deliveries that a process has no room for are made by another one long before leases end', async () => {
  const SHOPS = 15;
  const PEOPLE = 40;
  /** Of one site in one process. */
  const MOST_HELD = LIMITS.heldOfSite;
  for (let shop = 0; shop < SHOPS; shop += 1) {
    await buildWebhook(here, world, { url: `https://shop-${shop}.example/hook` });
  }
  const full = workers.holding(here);
  const other = workers.holding(there);
  // One after the other: room is taken at the commit, so two transactions at once may take the same room.
  for (const id of await addPeople(PEOPLE)) await leave(here, id);
  other.letGo();
  const all = (SHOPS + 1) * PEOPLE;
  const EVERY_MS = 100;
  async function isDone(): Promise<boolean> {
    // A process that was not woken looks every second by this clock, on which leases of 22 s don't end in this time.
    here.clock.advance({ seconds: EVERY_MS / 1000 });
    return (await deliveries()).filter(({ at }) => at === null).length === all - MOST_HELD;
  }
  await vi.waitUntil(isDone, { timeout: 20_000, interval: EVERY_MS });
  full.letGo();
  await untilQuiet(25_000);
  expect(full.given.length + other.given.length).toBe(all);
}, 60_000);

describe('a lease', () => {
  it('of a dead process ends, and another makes the same delivery', async () => {
    const lost = await startTestProduct({ beside: here });
    const gone = workers.holding(lost);
    const [id = ''] = await addPeople(1);
    await leave(lost, id);
    // Without its database it renews nothing and looks for nothing.
    await lost.stop();
    const other = workers.holding(there);
    await sleep(1200);
    expect(other.given).toHaveLength(0);
    here.clock.advance({ seconds: 23 });
    await vi.waitUntil(() => other.given.length === 1, { timeout: SOONER_THAN_A_LEASE_ENDS_MS });
    expect(other.given[0]?.row.delivery_id).toBe(gone.given[0]?.row.delivery_id);
  });

  it('that ended unnoticed does not make a process call twice', async () => {
    const slow = workers.holding(here);
    const [id = ''] = await addPeople(1);
    await leave(here, id);
    here.clock.advance({ seconds: 23 });
    const isLeasedAgain = async () => ((await deliveries())[0]?.at ?? 0) > here.clock.now();
    await vi.waitUntil(isLeasedAgain, { timeout: SOONER_THAN_A_LEASE_ENDS_MS });
    slow.letGo();
    await untilQuiet();
    expect(slow.given).toHaveLength(1);
  });
});

describe('stopping a worker', () => {
  const SLOTS = LIMITS.ofReceiver;

  it('waits for what is running, gives the rest back, and another worker takes it at once', async () => {
    const { worker, given, letGo } = workers.holding(here);
    const people = await addPeople(2 * SLOTS);
    await Promise.all(people.map((id) => leave(here, id)));
    expect(given).toHaveLength(SLOTS);
    const stopped = worker.stop();
    letGo();
    await stopped;
    const left = (await deliveries()).filter(({ at }) => at !== null);
    expect(left).toHaveLength(SLOTS);
    const now = here.clock.now();
    expect(left.every(({ at }) => at !== null && at <= now)).toBe(true);
    const other = workers.holding(there);
    other.letGo();
    // Far sooner than their leases would have ended.
    await untilQuiet(LEASE_MS / 2);
    expect(other.given).toHaveLength(SLOTS);
    expect(given).toHaveLength(SLOTS);
  });

  it('gives leases back past a row that somebody has locked', async () => {
    const { worker, letGo } = workers.holding(here);
    for (const id of await addPeople(SLOTS + 2)) await leave(here, id);
    const [locked, other] = (await deliveries()).slice(-2);
    const client = await here.testDatabase.owner.connect();
    try {
      await client.query('begin');
      await client.query('select from deliveries where site_id = $1 and id = $2 for update', [
        world.site.id,
        locked?.id,
      ]);
      const stopped = worker.stop();
      letGo();
      await stopped;
      const now = here.clock.now();
      const left = (await deliveries()).filter(({ at }) => at !== null);
      expect(left.map(({ id, at }) => ({ id, isDue: at !== null && at <= now }))).toEqual([
        { id: locked?.id, isDue: false },
        { id: other?.id, isDue: true },
      ]);
    } finally {
      await client.query('rollback');
      client.release();
    }
  });

  it('releases the leases of a site although those of another can’t be written', async () => {
    const failing = await buildSite(here, home.owner, home.params.organization_id);
    await buildWebhook(here, failing, { url: receiver.url });
    const { worker, letGo } = workers.holding(here);
    const leaveAt = async (at: World) => {
      for (const id of await addPeople(SLOTS + 1, at)) {
        const lists = [{ list_id: at.weekly.id, subscribed: false }];
        await saveChoice(here.services, at.site.id, id, { lists }, ON_THE_PAGE);
      }
    };
    for (const at of [failing, world]) await leaveAt(at);
    const { owner } = here.testDatabase;
    await owner.query(
      `create function be_away() returns trigger language plpgsql as $$ begin raise exception 'away'; end $$`,
    );
    await owner.query(
      `create trigger away before update on deliveries for each row
         when (old.site_id = '${failing.site.id}' and new.status = 'waiting') execute function be_away()`,
    );
    const stopped = worker.stop();
    letGo();
    await stopped;
    await owner.query('drop function be_away cascade');
    const now = here.clock.now();
    const left = (await deliveries()).filter(({ at }) => at !== null);
    expect(left.map(({ at }) => at !== null && at <= now)).toEqual([true]);
  });

  it('leaves nothing leased by a poll that was running', async () => {
    const people = await addPeople(4);
    for (let round = 0; round < 14; round += 1) {
      const { worker, letGo } = workers.holding(here);
      letGo();
      await Promise.all(people.map((id) => setWeekly(there, id, round % 2 === 1)));
      // The signal comes 20 ms after a save: sometimes before, sometimes within and sometimes after the look.
      await sleep(16 + round);
      await worker.stop();
      const now = here.clock.now();
      const held = (await deliveries()).filter(({ at }) => at !== null && at > now);
      expect(held, `in round ${round}`).toEqual([]);
    }
  });
});

describe('a site’s mark', () => {
  const marks = async () =>
    (await here.testDatabase.owner.query('select * from sites_with_work where site_id = $1', [world.site.id]))
      .rows as { due_at: Date; hold_until: Date }[];

  it('that was lost is found by the sweep of a starting worker', async () => {
    const [id = ''] = await addPeople(1);
    await leave(here, id);
    await here.testDatabase.owner.query('delete from sites_with_work');
    workers.answering(there);
    await receiver.waitFor(1);
  });

  it('that was lost while a worker runs is found by one of its next sweeps', async () => {
    const SWEEP_EVERY_MS = 60_000;
    const { setTimeout: real } = globalThis;
    const timers = vi
      .spyOn(globalThis, 'setTimeout')
      .mockImplementation(((then: () => void, ms?: number) =>
        real(then, ms === SWEEP_EVERY_MS ? 200 : ms)) as typeof setTimeout);
    try {
      workers.answering(there);
      const [id = ''] = await addPeople(1);
      await leave(here, id);
      await receiver.waitFor(1);
      await untilQuiet();
      await here.testDatabase.owner.query('delete from sites_with_work');
      await here.testDatabase.owner.query(
        `update deliveries set next_attempt_at = $2, status = 'waiting' where site_id = $1`,
        [world.site.id, here.clock.now()],
      );
      await receiver.waitFor(2);
    } finally {
      timers.mockRestore();
    }
  });

  it('is found by the sweep despite another site that cannot be read because its worker is down', async () => {
    const { database } = there.services;
    const readOnce: typeof database.readOnce = (siteId, statement) =>
      siteId === home.site.id
        ? Promise.reject(new Error('connection to the remote node sayso@10.0.0.2:5432 failed'))
        : database.readOnce(siteId, statement);
    const [id = ''] = await addPeople(1);
    await leave(here, id);
    await here.testDatabase.owner.query('delete from sites_with_work');
    workers.answering({ ...there, services: { ...there.services, database: { ...database, readOnce } } });
    await receiver.waitFor(1);
  });

  it('is found by the sweep despite another site that does not answer because its worker has vanished', async () => {
    const { database } = there.services;
    const answer = Promise.withResolvers<never>();
    const readOnce: typeof database.readOnce = (siteId, statement) =>
      siteId === home.site.id ? answer.promise : database.readOnce(siteId, statement);
    const [id = ''] = await addPeople(1);
    await leave(here, id);
    await here.testDatabase.owner.query('delete from sites_with_work');
    workers.answering({ ...there, services: { ...there.services, database: { ...database, readOnce } } });
    try {
      await receiver.waitFor(1);
    } finally {
      answer.reject(new Error('Query read timeout'));
    }
  });

  it('is set again when something becomes due while a poll removes it', async () => {
    const worker = workers.answering(there);
    const [id = ''] = await addPeople(1);
    await leave(here, id);
    await receiver.waitFor(1);
    await untilQuiet();
    await worker.stop();
    const [delivery] = await deliveries();
    const replayed = await here.services.database.inSite(world.site.id, async (site) => {
      expect(await statements.lockMark(site)).toBeInstanceOf(Date);
      const replaying = replayDelivery(here.services, world.site.id, delivery?.id ?? '');
      await sleep(100);
      expect(await deliveries(), 'nothing is due yet').toEqual([delivery]);
      await site.commitWith([statements.moveMark(world.site.id, null)]);
      return { replaying };
    });
    await replayed.replaying;
    expect(await marks()).toHaveLength(1);
  });

  it('is removed once nothing is left to do, but not while a save may rely on it', async () => {
    workers.answering(there);
    const [first = '', second = ''] = await addPeople(2);
    await leave(here, first);
    await receiver.waitFor(1);
    await untilQuiet();
    await sleep(1500);
    expect(await marks()).toHaveLength(1);
    await leave(here, second);
    await receiver.waitFor(2);
    await untilQuiet();
    here.clock.advance({ seconds: 23 });
    await vi.waitUntil(async () => (await marks()).length === 0, { timeout: SOONER_THAN_A_LEASE_ENDS_MS });
  });
});

it('a webhook that waits in memory while its person is erased is sent without their address', async () => {
  workers.answering(here);
  receiver.answerWith('hang');
  const people = await addPeople(LIMITS.ofReceiver + 1);
  for (const id of people) await leave(here, id);
  await receiver.waitFor(LIMITS.ofReceiver);
  const last = people.at(-1) ?? '';
  await sleep(1000);
  await eraseCustomer(here.services, world.site.id, last);
  receiver.answerWith({ status: 204 });
  receiver.answerHanging(204);
  await untilQuiet();
  const told = receiver.received.slice(LIMITS.ofReceiver).map(({ body }) => body);
  expect(told.every((body) => body.includes(last))).toBe(true);
  expect(told.join()).not.toContain(`person-${LIMITS.ofReceiver}@example.com`);
});

it('without room for a site’s deliveries, saves cause one poll a second, and all are made in the end', async () => {
  const { given, looks, letGo } = workers.holding(here);
  const people = await addPeople(LIMITS.ofReceiver + LIMITS.waitingOfReceiver + 60);
  const rest = people.slice(-50);
  await Promise.all(people.slice(0, -50).map((id) => leave(here, id)));
  const before = looks();
  const began = performance.now();
  for (const id of rest) await leave(here, id);
  const seconds = (performance.now() - began) / 1000;
  // One for saves and one for the mark of the site, which comes round as often.
  expect(looks() - before).toBeLessThanOrEqual(2 * (seconds + 1));
  letGo();
  await untilQuiet();
  expect(given).toHaveLength(people.length);
});

it('two workers make each of 300 deliveries once', async () => {
  workers.answering(here);
  workers.answering(there);
  const people = await addPeople(300);
  await Promise.all(people.map((id, index) => leave(index % 2 === 0 ? here : there, id)));
  await untilQuiet();
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(ids).toHaveLength(300);
  expect(new Set(ids).size).toBe(300);
});
