import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { addCustomer } from '#server/choices/choices/add-customer.ts';
import { saveChoice } from '#server/choices/choices/choices.ts';
import { replayDelivery } from '#server/delivery/deliveries/deliveries.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { createDeliveryWorkers, dueOf, untilDone } from '#test/harness/delivery-workers.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { scaled } from '#test/harness/scale.ts';
import { openWire, type Wire } from '#test/harness/wire.ts';
import { buildSite, buildWebhook, buildWorld, ON_THE_PAGE, type World } from '#test/harness/world.ts';

let wire: Wire;
let here: TestProduct;
/** By a line that a test can cut. */
let there: TestProduct;
let home: World;
let receiver: WebhookReceiver;
const workers = createDeliveryWorkers();

beforeAll(async () => {
  here = await startTestProduct();
  there = await startTestProduct({
    beside: here,
    through: async (url) => {
      wire = await openWire(url);
      return wire.url;
    },
  });
  home = await buildWorld(here);
  receiver = await startWebhookReceiver();
});

afterEach(async () => {
  await workers.stopAll();
  receiver.received.length = 0;
});

afterAll(async () => {
  await there.stop();
  await here.stop();
  await wire.close();
  await receiver.close();
});

async function openSite(): Promise<World> {
  const world = await buildSite(here, home.owner, home.params.organization_id);
  await buildWebhook(here, world, { url: receiver.url });
  await buildWebhook(here, world, { url: receiver.url, event: 'subscribed' });
  return world;
}

async function addPeople({ site }: World, count: number): Promise<string[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const address = `person-${index}@example.com`;
      const added = await addCustomer(here.services, site.id, address, ON_THE_PAGE);
      return added?.id ?? expect.unreachable(address);
    }),
  );
}

function leave(product: TestProduct, { site, weekly }: World, id: string, saveId: string | null = null) {
  const wish = { lists: [{ list_id: weekly.id, subscribed: false }] };
  return saveChoice(product.services, site.id, id, wish, { ...ON_THE_PAGE, saveId });
}

describe('a lease', () => {
  it('is renewed while a receiver is slow, and nobody else calls it', async () => {
    const world = await openSite();
    const [id = ''] = await addPeople(world, 1);
    const slow = workers.holding(here);
    const other = workers.holding(there);
    await leave(here, world, id);
    const endOfLease = async () => (await dueOf(here, world.site.id))[0]?.at?.getTime();
    const first = await endOfLease();
    // Twice this is more than a lease lasts.
    here.clock.advance({ seconds: 12 });
    await vi.waitUntil(async () => (await endOfLease()) !== first, { timeout: 15_000, interval: 100 });
    here.clock.advance({ seconds: 12 });
    await sleep(1500);
    expect(other.given).toHaveLength(0);
    slow.letGo();
    await untilDone(here, world.site.id);
    expect(slow.given).toHaveLength(1);
  });
});

describe('the leases of a site', () => {
  it('are renewed round after round while another site does not answer', async () => {
    const [silent, well] = [await openSite(), await openSite()];
    workers.holding(here);
    for (const world of [silent, well]) {
      for (const id of await addPeople(world, 1)) await leave(here, world, id);
    }
    const endOfLease = async () => (await dueOf(here, well.site.id))[0]?.at?.getTime();
    const client = await here.testDatabase.owner.connect();
    try {
      await client.query('begin');
      await client.query('select from sites_with_work where site_id = $1 for update', [silent.site.id]);
      for (let round = 0; round < 2; round += 1) {
        const before = await endOfLease();
        // A statement that gets no answer takes 15 s; with the pause after it, that is as long as a lease.
        await vi.waitUntil(async () => (await endOfLease()) !== before, { timeout: 18_000, interval: 100 });
      }
    } finally {
      await client.query('commit');
      client.release();
    }
  });
});

describe('a database that becomes unavailable', () => {
  const PEOPLE = 60;
  const AWAY_MS = 3000;

  it('loses no delivery, and each keeps its message id', async (context) => {
    const world = await openSite();
    const people = await addPeople(world, PEOPLE);
    workers.answering(there);

    /** As a page does it: the same save again until it is answered. */
    async function leaveAtLast(id: string): Promise<void> {
      for (;;) {
        const saved = await leave(there, world, id, 'the-one').catch(() => null);
        if (saved !== null) return;
        await sleep(200);
      }
    }

    const half = people.splice(0, PEOPLE / 2);
    for (const id of half) await leaveAtLast(id);
    await receiver.waitFor(half.length);
    // Some are called and cannot be recorded, others are saved meanwhile.
    receiver.answerWith('hang');
    for (const id of people.splice(0, 5)) await leaveAtLast(id);
    await receiver.waitFor(half.length + 5);
    const saving = people.map((id) => leaveAtLast(id));
    await sleep(3);
    await wire.cut();
    receiver.answerWith({ status: 204 });
    receiver.answerHanging(204);
    await sleep(AWAY_MS);
    await wire.mend();
    await Promise.all(saving);
    here.clock.advance({ seconds: 23 });
    await untilDone(here, world.site.id);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id'] ?? '');
    const made = (await dueOf(here, world.site.id)).map((delivery) => delivery.id);
    await context.annotate(`${ids.length} calls for ${PEOPLE} deliveries`);
    expect(made).toHaveLength(PEOPLE);
    expect([...new Set(ids)].toSorted()).toEqual(made.toSorted());
    expect(ids.length).toBeGreaterThan(PEOPLE);
  });
});

type Step =
  | { save: number; by: 'here' | 'there' }
  | { replay: number; by: 'here' | 'there' }
  | { advanceSeconds: number }
  | { waitMs: number };

const SITES = 3;
const PEOPLE_OF_SITE = 8;
/** All of what a round does to the clock: saves in flight rely on a mark for 16 seconds more than this. */
const MOST_SECONDS = 12;

const by = fc.constantFrom('here' as const, 'there' as const);

const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.record({ save: fc.nat(SITES * PEOPLE_OF_SITE - 1), by }), weight: 6 },
  { arbitrary: fc.record({ replay: fc.nat(), by }), weight: 3 },
  { arbitrary: fc.record({ waitMs: fc.nat(40) }), weight: 3 },
  { arbitrary: fc.record({ advanceSeconds: fc.integer({ min: 1, max: 8 }) }), weight: 1 },
);

/** What nothing leads to: workers would find it only with the sweep. */
async function unmarked(): Promise<unknown[]> {
  const { rows } = await here.testDatabase.owner.query(
    `select id, site_id, next_attempt_at from deliveries
     where next_attempt_at is not null and site_id not in (select site_id from sites_with_work)`,
  );
  return rows;
}

interface Person {
  world: World;
  id: string;
  isSubscribed: boolean;
}

/** Unlike a save it relies on no mark. */
async function replay(which: number, { services }: TestProduct): Promise<void> {
  const { headers, body } = receiver.received[which % receiver.received.length] ?? {};
  if (headers === undefined || body === undefined) return;
  const { data } = JSON.parse(body) as { data: { site: string } };
  await replayDelivery(services, data.site, headers['webhook-id'] ?? '');
}

function toggle(chosen: Person, { services }: TestProduct): Promise<unknown> {
  chosen.isSubscribed = !chosen.isSubscribed;
  const { world, id, isSubscribed } = chosen;
  const wish = { lists: [{ list_id: world.weekly.id, subscribed: isSubscribed }] };
  return saveChoice(services, world.site.id, id, wish, ON_THE_PAGE);
}

async function takeRound(all: readonly Person[], steps: readonly Step[]): Promise<void> {
  const saves: Promise<unknown>[] = [];
  let seconds = 0;
  for (const one of steps) {
    const product = 'by' in one && one.by === 'there' ? there : here;
    if ('save' in one) saves.push(toggle(all[one.save] ?? expect.unreachable(), product));
    else if ('replay' in one) saves.push(replay(one.replay, product));
    else if ('waitMs' in one) await sleep(one.waitMs);
    else if (seconds + one.advanceSeconds <= MOST_SECONDS) {
      seconds += one.advanceSeconds;
      here.clock.advance({ seconds: one.advanceSeconds });
    }
  }
  await Promise.all(saves);
}

describe('a site’s mark', () => {
  it('exists whenever a delivery is due or leased, whatever saves and polls do at once', async (context) => {
    const sites = await Promise.all(Array.from({ length: SITES }, openSite));
    const people = await Promise.all(
      sites.map(async (world) => (await addPeople(world, PEOPLE_OF_SITE)).map((id) => ({ world, id }))),
    );
    const all = people.flat().map((one) => ({ ...one, isSubscribed: true }));
    const state = { looks: 0, isOver: false };
    workers.answering(here);

    async function watch(): Promise<void> {
      while (!state.isOver) {
        expect(await unmarked()).toEqual([]);
        state.looks += 1;
        await sleep(2);
      }
    }

    const watching = watch();
    const steps = fc.array(step, { minLength: 5, maxLength: 40 });
    const property = fc.asyncProperty(steps, async (some) => {
      await Promise.race([takeRound(all, some), watching]);
    });
    await fc.assert(property, { numRuns: scaled(60), endOnFailure: true });
    state.isOver = true;
    await watching;
    here.clock.advance({ seconds: 23 });
    for (const { site } of sites) await untilDone(here, site.id);
    await context.annotate(`Looked ${state.looks} times`);
  });
});
