import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, type TestContext } from 'vitest';
import { type Cluster, type ClusterNode, queryOn, startCluster } from '#test/harness/cluster.ts';
import type { ApiError } from '#contract/client.ts';
import { createSite } from '#contract/sites.ts';
import { type Break, type CommitGate, openCommitGate } from '#test/harness/commit-gate.ts';
import { callsTo } from '#test/harness/product.ts';
import { buildWorld } from '#test/harness/world.ts';
import { type ProductProcess, startProductProcess } from '#test/harness/product-process.ts';
import { scaled } from '#test/harness/scale.ts';
import {
  findLosses,
  NOTHING_LOST,
  openShop,
  type SaveAnswer,
  saveMany,
  sendSave,
  type Shop,
  workOff,
} from '#test/long/saves.ts';

/*
 * Nodes of a cluster that are killed, and one that is added, while people save. The cluster is this file's own: others
 * share the one of `test/with-citus.sh`.
 */

const SAVES = scaled(300);
const KILLS = Math.min(20, scaled(2));
const PATIENCE_MS = scaled(600_000);
/** With 4, each has a shop, so that one moves with its shop. Citus makes 32 where nobody says otherwise. */
const IS_LONG = scaled(1) >= 10;
const SHARDS = IS_LONG ? 16 : 4;
const MOST_SHOPS = 6;
/** While the last rows of a shard change over, its saves wait: on a slow machine for seconds. */
const WAITS_MS = 30_000;
/** Shards of each table are hundreds of tables to make. */
const START_MS = 600_000;
/** Long enough for calls to find the node dead. */
const DEAD_FOR_MS = 3000;

let cluster: Cluster;
let gates: CommitGate[] = [];
let product: ProductProcess;
let shops: Shop[] = [];

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') console.error(product.output().slice(-5000));
  for (const { receiver } of shops) await receiver.close();
  shops = [];
  await product.stop();
  for (const gate of gates) await gate.close();
  gates = [];
  await cluster.stop();
});

async function open({ shards = 4 } = {}): Promise<void> {
  cluster = await startCluster({
    workers: 2,
    shards,
    isDurable: true,
    async portOf(worker) {
      const gate = await openCommitGate(worker.port);
      gates.push(gate);
      return gate.port;
    },
  });
  product = await startProductProcess({ keepAlive: true, env: { DATABASE_URL: cluster.coordinator.url } });
  await product.untilReady(START_MS);
}

const ask = <Row extends object>(text: string, values: unknown[] = []) =>
  queryOn<Row>(cluster.coordinator.url, text, values);

/** The worker that has a site's rows, by its number. */
async function workerOf({ world }: Shop): Promise<number> {
  const [row] = await ask<{ port: number }>(
    `select nodeport as port from pg_dist_placement join pg_dist_node using (groupid)
     where shardid = get_shard_id_for_distribution_column('choices', $1::uuid) and noderole = 'primary'`,
    [world.site.id],
  );
  return gates.findIndex(({ port }) => port === row?.port);
}

/** A shop on each worker. */
async function openShops(): Promise<[Shop, Shop]> {
  const byWorker = new Map<number, Shop>();
  while (byWorker.size < 2) {
    const shop = await openShop(product);
    shops.push(shop);
    byWorker.set(await workerOf(shop), shop);
  }
  return [byWorker.get(0) as Shop, byWorker.get(1) as Shop];
}

const AWAY = "We can't reach the database right now. Try again.";
const UNDECIDED =
  'The connection to the database was lost while saving. Check whether your change was saved before you try again.';

/** What a killed node leaves people with: an answer that says what to do, and nothing else. */
function expectOnlyRetryable({ refusals }: Shop): void {
  expect([AWAY, UNDECIDED]).toEqual(expect.arrayContaining([...refusals.keys()]));
}

function acknowledge(shop: Shop, key: string, answer: SaveAnswer | null): void {
  const { choice_id: id } = JSON.parse(answer?.text ?? '{}') as { choice_id?: string };
  shop.acknowledged.set(key, id ?? expect.unreachable(`${key} was not saved: ${answer?.text}`));
}

/** Kills a node, and starts it again a moment later. */
async function crash(node: ClusterNode): Promise<void> {
  await node.kill();
  await sleep(DEAD_FOR_MS);
  await node.start();
}

/** Every shop's customers save without pause, until there were enough saves and all crashes. */
async function saveThrough(all: readonly Shop[], crashOnce: (round: number) => Promise<void>): Promise<void> {
  async function crashAll(): Promise<void> {
    for (let round = 0; round < KILLS; round += 1) {
      const enough = all.map(({ acknowledged }) => acknowledged.size + SAVES / KILLS / 2);
      while (all.some(({ acknowledged }, index) => acknowledged.size < (enough[index] ?? 0)))
        await sleep(100);
      await crashOnce(round);
      for (const shop of all) shop.kills += 1;
    }
  }
  await Promise.all([crashAll(), ...all.map((shop) => saveMany(shop, { saves: SAVES, kills: KILLS }))]);
}

async function annotate(context: TestContext, all: readonly Shop[], began: number, more = ''): Promise<void> {
  const refusalsOf = ({ refusals }: Shop) =>
    [...refusals.values()].reduce((total, count) => total + count, 0);
  const sum = (of: (shop: Shop) => number) => all.reduce((total, shop) => total + of(shop), 0);
  const ids = new Set(
    all.flatMap(({ receiver }) => receiver.received.map(({ headers }) => headers['webhook-id'])),
  );
  await context.annotate(
    `${sum((shop) => shop.acknowledged.size)} saves in ${((performance.now() - began) / 1000).toFixed(0)} s, ` +
      `${sum((shop) => shop.repeats)} repeated (${sum(refusalsOf)} after status 503); ` +
      `${ids.size} deliveries, ${sum(({ receiver }) => receiver.received.length) - ids.size} came again${more}`,
  );
}

describe('kill -9 of a worker', () => {
  it(
    'while people save: its sites ask to retry, the others continue, and nothing is lost',
    { timeout: PATIENCE_MS },
    async (context) => {
      await open();
      const [lost, healthy] = await openShops();
      const [worker] = cluster.workers as [ClusterNode, ClusterNode];
      const began = performance.now();
      await saveThrough([lost, healthy], () => crash(worker));
      await annotate(context, [lost, healthy], began, `; ${KILLS} kills`);
      expect(lost.refusals.size).toBeGreaterThan(0);
      expectOnlyRetryable(lost);
      expect(healthy.refusals).toEqual(new Map());
      await workOff(lost);
      for (const shop of [lost, healthy]) expect(await findLosses(shop)).toEqual(NOTHING_LOST);
      expect(product.starts()).toBe(1);
    },
  );

  it(
    'prevents neither a start, nor serving and sweeping the sites of the other one',
    { timeout: PATIENCE_MS },
    async () => {
      await open();
      const [lost, healthy] = await openShops();
      const leave = (shop: Shop) => sendSave(shop, { index: 0, key: 'save-0-0', subscribed: false });
      expect(await leave(healthy)).toMatchObject({ status: 200 });
      await workOff(healthy);
      const [worker] = cluster.workers as [ClusterNode, ClusterNode];
      await worker.kill();
      // Only a sweep finds it.
      await ask(`update deliveries set next_attempt_at = now(), status = 'waiting' where site_id = $1`, [
        healthy.world.site.id,
      ]);
      await ask('delete from sites_with_work');
      const before = healthy.receiver.received.length;
      product.killServer();
      await product.untilReady();
      expect(product.output()).toMatch(
        /The Citus coordinator can't reach one of its workers: connection to the remote node/,
      );
      expect(await sendSave(healthy, { index: 1, key: 'save-1-0', subscribed: true })).toMatchObject({
        status: 200,
      });
      const refused = await leave(lost);
      expect(refused).toMatchObject({ status: 503, retryAfter: '2' });
      expect(refused?.text).toContain(AWAY);
      await healthy.receiver.waitFor(before + 1);
      await worker.start();
      await expect.poll(() => leave(lost)).toMatchObject({ status: 200 });
    },
  );
});

/** A save that marks its site for workers writes on the coordinator as well, and then both commit by two phases. */
const CHOICE = /insert into public\.choices_/i;
const BREAKS: { where: string; at: Break; isSaved: boolean }[] = [
  { where: 'after the worker has committed', at: { afterAnswer: 'COMMIT', about: CHOICE }, isSaved: true },
  {
    where: 'after the worker has prepared the commit',
    at: { afterAnswer: 'PREPARE TRANSACTION', about: CHOICE },
    isSaved: false,
  },
  {
    where: 'after its own commit, before the one of the worker',
    at: { beforeStatement: /^COMMIT PREPARED/, about: CHOICE },
    isSaved: true,
  },
];

/** What workers have promised to commit, and wait to be told. */
async function preparedTransactions(): Promise<unknown[]> {
  const found = cluster.workers.map(({ url }) => queryOn(url, 'select gid from pg_prepared_xacts'));
  return (await Promise.all(found)).flat();
}

describe('kill -9 of the coordinator', () => {
  it(
    'at each point of the commit of a save leaves it stored once, or not at all',
    { timeout: PATIENCE_MS },
    async () => {
      await open();
      const shop = await openShop(product);
      shops.push(shop);
      const gate = gates[await workerOf(shop)] ?? expect.unreachable('no gate to the worker of the site');
      let index = 0;
      for (const { at, isSaved } of BREAKS) {
        let isHeld = false;
        const held = gate.hold(at).then(() => {
          isHeld = true;
          return 'held' as const;
        });
        // One save in six seconds marks the site; the others rely on that mark.
        let sent = { index, key: '', subscribed: false };
        let answer: ReturnType<typeof sendSave> = Promise.resolve(null);
        while (!isHeld) {
          sent = { index, key: `save-${index}-1`, subscribed: false };
          index += 1;
          answer = sendSave(shop, sent);
          const first = await Promise.race([held, answer]);
          if (first !== 'held') acknowledge(shop, sent.key, first);
          if (!isHeld) await sleep(500);
        }
        await cluster.coordinator.kill();
        const undecided = await answer;
        expect(undecided).toMatchObject({ status: 503, retryAfter: '2' });
        expect(undecided?.text).toContain(UNDECIDED);
        await cluster.coordinator.start();
        await expect.poll(preparedTransactions).toEqual([]);
        const choices = await ask<{ id: string }>(
          'select id from choices where site_id = $1 and save_id = $2',
          [shop.world.site.id, sent.key],
        );
        expect(choices).toHaveLength(isSaved ? 1 : 0);
        await product.untilReady();
        const again = await sendSave(shop, sent);
        expect(again).toMatchObject({ status: 200 });
        acknowledge(shop, sent.key, again);
        if (isSaved) expect(shop.acknowledged.get(sent.key)).toBe(choices[0]?.id);
      }
      await workOff(shop);
      expect(await findLosses(shop)).toEqual(NOTHING_LOST);
    },
  );

  it(
    'while people save, each time during a commit, loses nothing',
    { timeout: PATIENCE_MS },
    async (context) => {
      await open();
      const both = await openShops();
      const [first] = both;
      const began = performance.now();
      await saveThrough(both, async (round) => {
        const { at } = BREAKS[round % BREAKS.length] as (typeof BREAKS)[number];
        await (gates[round % 2] as CommitGate).hold(at);
        await crash(cluster.coordinator);
      });
      await workOff(first, 180_000);
      await annotate(context, both, began, `; ${KILLS} kills`);
      for (const shop of both) {
        expectOnlyRetryable(shop);
        expect(await findLosses(shop)).toEqual(NOTHING_LOST);
      }
      expect(await preparedTransactions()).toEqual([]);
    },
  );

  it(
    'during a change of something on every node leaves no half of it',
    { timeout: PATIENCE_MS },
    async () => {
      await open();
      const calls = callsTo(product.url);
      const { owner, params } = await buildWorld(calls);
      const create = (name: string) =>
        calls
          .call(
            createSite,
            { params: { organization_id: params.organization_id }, body: { domain_name: name, name } },
            owner,
          )
          .then(
            () => 'made',
            ({ errors }: ApiError) => errors[0]?.code,
          );
      const [gate] = gates as [CommitGate];
      for (const { at, isSaved } of BREAKS.slice(1)) {
        const name = isSaved ? 'made-everywhere' : 'made-nowhere';
        const held = gate.hold({ ...at, about: /./ });
        const answer = create(name);
        await held;
        await cluster.coordinator.kill();
        expect(await answer).toBe('unavailable');
        await cluster.coordinator.start();
        await expect.poll(preparedTransactions).toEqual([]);
        const nodes = [cluster.coordinator, ...cluster.workers];
        const counts = nodes.map(({ url }) => queryOn(url, 'select from sites where name = $1', [name]));
        const expected = isSaved ? 1 : 0;
        expect((await Promise.all(counts)).map((rows) => rows.length)).toEqual(nodes.map(() => expected));
        await product.untilReady();
        expect(await create(name)).toBe(isSaved ? 'domain_taken' : 'made');
      }
    },
  );
});

describe('a third worker', () => {
  it(
    'gets its share of the shards while people save, and none of them is refused',
    { timeout: PATIENCE_MS },
    async (context) => {
      await open({ shards: SHARDS });
      const shards = new Set<string>();
      while (shards.size < Math.min(SHARDS, MOST_SHOPS)) {
        const shop = await openShop(product, 16);
        const [row] = await ask<{ id: string }>(
          `select get_shard_id_for_distribution_column('choices', $1::uuid)::text as id`,
          [shop.world.site.id],
        );
        shop.patienceMs = WAITS_MS;
        shops.push(shop);
        shards.add(row?.id ?? '');
      }
      const before = await Promise.all(shops.map(workerOf));
      const began = performance.now();
      const saving = Promise.all(
        shops.map((shop) => saveMany(shop, { saves: SAVES / shops.length, kills: 1 })),
      );
      const third = await cluster.makeNode();
      await ask('select citus_add_node($1, $2)', ['127.0.0.1', third.port]);
      const rebalancing = performance.now();
      const [job] = await ask<{ id: string }>('select citus_rebalance_start() as id');
      const state = async () =>
        (
          await ask<{ state: string }>('select state from pg_dist_background_job where job_id = $1', [
            job?.id,
          ])
        )[0]?.state;
      while (['scheduled', 'running'].includes((await state()) ?? '')) await sleep(250);
      const seconds = (performance.now() - rebalancing) / 1000;
      // Nobody was killed; this ends the saving.
      for (const shop of shops) shop.kills = 1;
      await saving;
      expect(await state()).toBe('finished');
      const [moved] = await ask<{ shards: number }>(
        `select count(*)::int as shards from pg_dist_placement join pg_dist_node using (groupid)
       join pg_dist_shard using (shardid) where nodeport = $1 and logicalrelid = 'choices'::regclass`,
        [third.port],
      );
      const after = await Promise.all(shops.map(workerOf));
      const movedShops = after.filter((worker, index) => worker !== before[index]).length;
      await annotate(
        context,
        shops,
        began,
        `; ${moved?.shards} of ${SHARDS} shards of each table moved in ${seconds.toFixed(0)} s, with the sites of ${movedShops} of ${shops.length} shops`,
      );
      expect(moved?.shards).toBeGreaterThan(0);
      expect(movedShops).toBeGreaterThan(0);
      // So many tables on few busy cores may keep a save waiting for longer than the server waits for the database.
      for (const shop of shops) {
        if (IS_LONG) expectOnlyRetryable(shop);
        else expect(shop).toMatchObject({ refusals: new Map(), repeats: 0 });
      }
      await workOff(shops[0] as Shop);
      for (const shop of shops) expect(await findLosses(shop)).toEqual(NOTHING_LOST);
    },
  );
});
