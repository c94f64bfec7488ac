import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChoiceChange, saveChoice } from '#server/choices/choices/choices.ts';
import { MISBEHAVIOURS, type MisbehavingReceiver, startReceiver } from '#test/fakes/misbehaving-receivers.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { startTestProduct, type TestProduct } from '#test/harness/product.ts';
import { buildSite, buildWebhook, buildWorld, ON_THE_PAGE, type World } from '#test/harness/world.ts';
import { insertPeople } from '#test/load/bench-site.ts';
import { median } from '#test/load/measure.ts';

/*
 * A tenant with a thousand deliveries for a receiver that misbehaves holds up neither other tenants nor its own other
 * endpoint.
 */

const WAITING = 1000;
const SAMPLES = 11;
/** Beside a receiver, of which the one in the middle counts: other work of the machine may fill one. */
const ROUNDS = 3;
/** Before and beside each of three receivers. */
const SAMPLED = 3 * (1 + ROUNDS) * SAMPLES;
/** Between samples, so that they meet different moments of what goes on beside them. */
const PAUSE_MS = 100;
const AT_MOST_LATER_MS = 500;

let product: TestProduct;
let other: Shop;

beforeAll(async () => {
  product = await startTestProduct({ worker: true });
  other = await openShop(await buildWorld(product));
});

afterAll(async () => {
  await product.stop();
  for (const one of opened) await one.close();
});

const opened: { close(): Promise<void> }[] = [];

/** A site whose people leave a list, which a receiver that is well is told. */
interface Shop {
  world: World;
  well: WebhookReceiver;
  people: string[];
  crowd: string[];
}

async function openShop(world: World): Promise<Shop> {
  const well = await startWebhookReceiver();
  opened.push(well);
  await buildWebhook(product, world, { url: well.url });
  const all = await insertPeople(product.testDatabase.owner, world.site.id, SAMPLED + WAITING);
  const people = all.slice(0, SAMPLED);
  await Promise.all(people.map((id) => choose(world, id, { lists: [subscription(world, true)] })));
  return { world, well, people, crowd: all.slice(SAMPLED) };
}

const subscription = ({ weekly }: World, subscribed: boolean) => ({ list_id: weekly.id, subscribed });

function choose({ site }: World, customerId: string, change: ChoiceChange) {
  return saveChoice(product.services, site.id, customerId, change, ON_THE_PAGE);
}

/** The usual time from a save to its arrival, in milliseconds. */
async function usualDelayMs({ world, well, people }: Shop): Promise<number> {
  const delays: number[] = [];
  for (const id of people.splice(0, SAMPLES)) {
    const before = well.received.length;
    const began = performance.now();
    await choose(world, id, { lists: [subscription(world, false)] });
    await well.waitFor(before + 1);
    delays.push(performance.now() - began);
    await sleep(PAUSE_MS);
  }
  return median(delays);
}

/** Leaves so many deliveries waiting for a receiver. */
async function flood({ world, crowd }: Shop, receiver: MisbehavingReceiver): Promise<void> {
  await buildWebhook(product, world, { url: receiver.url, event: 'global_unsubscribed' });
  await Promise.all(crowd.map((id) => choose(world, id, { globalUnsubscribe: true })));
}

async function waitingOf({ site }: World): Promise<number> {
  const { rows } = await product.testDatabase.owner.query<{ count: number }>(
    `select count(*)::int as count from deliveries where site_id = $1 and status = 'waiting'`,
    [site.id],
  );
  return rows[0]?.count ?? 0;
}

describe.each(['never answers', 'drips its body', 'answers 101 and keeps the line'])(
  'a tenant with a thousand deliveries for a receiver that %s',
  (name) => {
    it('delays neither another tenant nor its own other endpoint', async (context) => {
      const { misbehave } = MISBEHAVIOURS.find((one) => one.name === name) ?? expect.unreachable(name);
      const receiver = await startReceiver(misbehave);
      opened.push(receiver);
      const { owner, params } = other.world;
      const hog = await openShop(await buildSite(product, owner, params.organization_id));
      const alone = { other: await usualDelayMs(other), own: await usualDelayMs(hog) };
      await flood(hog, receiver);
      const rounds: { other: number; own: number }[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        rounds.push({ other: await usualDelayMs(other), own: await usualDelayMs(hog) });
      }
      const othersMs = median(rounds.map((round) => round.other)) - alone.other;
      const ownMs = median(rounds.map((round) => round.own)) - alone.own;
      expect(await waitingOf(hog.world)).toBeGreaterThan(WAITING * 0.9);
      await context.annotate(
        `Another tenant: ${alone.other.toFixed(0)} ms alone, ${othersMs.toFixed(0)} ms later beside it; ` +
          `its other endpoint: ${alone.own.toFixed(0)} ms alone, ${ownMs.toFixed(0)} ms later`,
      );
      expect(othersMs).toBeLessThan(AT_MOST_LATER_MS);
      expect(ownMs).toBeLessThan(AT_MOST_LATER_MS);
    });
  },
);
