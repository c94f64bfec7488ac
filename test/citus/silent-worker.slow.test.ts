import { afterEach, expect, it } from 'vitest';
import { type Cluster, queryOn, startCluster } from '#test/harness/cluster.ts';
import { type ProductProcess, startProductProcess } from '#test/harness/product-process.ts';
import { openSilentLine, type SilentLine } from '#test/harness/silent-line.ts';
import {
  findLosses,
  NOTHING_LOST,
  openShop,
  saveMany,
  sendSave,
  type Shop,
  workOff,
} from '#test/long/saves.ts';

/*
 * A worker whose machine vanishes: it refuses no connection and closes none. The cluster is this file's own.
 */

const SAVES = 300;
/** Customers who save without pause; one more saves when the worker has vanished. */
const SAVERS = 16;
const BEFORE_SILENCE = 50;
/** So many go through for the other worker's site while this one says nothing. */
const SAVES_MEANWHILE = 100;
/** A statement waits for 15 seconds; a save may wait for the batch before it, too. */
const FIRST_ANSWER_MS = 35_000;
const PATIENCE_MS = 60_000;
/** What the handbook asks for on the coordinator: backends of callers that have given up end. */
const CHECKED_SETTING = "alter system set client_connection_check_interval = '5s'";
const START_MS = 600_000;

let cluster: Cluster;
const lines: SilentLine[] = [];
let product: ProductProcess;
const shops: Shop[] = [];

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') console.error(product.output().slice(-5000));
  for (const { receiver } of shops) await receiver.close();
  await product.stop();
  for (const line of lines) await line.close();
  await cluster.stop();
});

const ask = <Row extends object>(text: string, values: unknown[] = []) =>
  queryOn<Row>(cluster.coordinator.url, text, values);

/** The line to the worker that has a site's rows. */
async function lineOf({ world }: Shop): Promise<SilentLine> {
  const [row] = await ask<{ port: number }>(
    `select nodeport as port from pg_dist_placement join pg_dist_node using (groupid)
     where shardid = get_shard_id_for_distribution_column('choices', $1::uuid) and noderole = 'primary'`,
    [world.site.id],
  );
  return (
    lines.find(({ port }) => port === row?.port) ?? expect.unreachable('no line to the worker of the site')
  );
}

/** A shop on each worker. */
async function openShops(): Promise<[Shop, Shop]> {
  const byLine = new Map<SilentLine, Shop>();
  while (byLine.size < 2) {
    const shop = await openShop(product, SAVERS + 1);
    shop.patienceMs = PATIENCE_MS;
    shops.push(shop);
    byLine.set(await lineOf(shop), shop);
  }
  return [...byLine.values()] as [Shop, Shop];
}

async function backends(): Promise<number> {
  const [row] = await ask<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity where backend_type = 'client backend' and application_name = 'sayso'`,
  );
  return row?.count ?? 0;
}

it(
  'a worker that stops answering costs its sites a 503 in time, while the others continue, and nothing is lost',
  async (context) => {
    cluster = await startCluster({
      workers: 2,
      shards: 4,
      isDurable: true,
      async portOf(worker) {
        const line = await openSilentLine(worker.port);
        lines.push(line);
        return line.port;
      },
    });
    await ask(CHECKED_SETTING);
    await ask('select pg_reload_conf()');
    product = await startProductProcess({ env: { DATABASE_URL: cluster.coordinator.url } });
    await product.untilReady(START_MS);
    const [lost, healthy] = await openShops();
    const line = await lineOf(lost);
    const savers = [lost, healthy].map((shop) => ({ ...shop, customers: shop.customers.slice(0, SAVERS) }));
    const saving = savers.map((saver) => saveMany(saver, { saves: SAVES, kills: 1 }));
    const own = { index: SAVERS, key: `save-${SAVERS}-0`, subscribed: true };
    await expect
      .poll(() => Math.min(lost.acknowledged.size, healthy.acknowledged.size))
      .toBeGreaterThan(BEFORE_SILENCE);

    line.silence();
    const began = performance.now();
    const until = healthy.acknowledged.size + SAVES_MEANWHILE;
    const refused = await sendSave(lost, own);
    const firstMs = performance.now() - began;
    expect(refused).toMatchObject({ status: 503, retryAfter: '2' });
    expect(firstMs).toBeLessThan(FIRST_ANSWER_MS);
    await expect.poll(() => healthy.acknowledged.size, { timeout: 120_000 }).toBeGreaterThan(until);
    // Each call of the lost site has taken a connection of the coordinator with it, and none may keep it.
    const open = await backends();
    const silentMs = performance.now() - began;

    line.restore({ isRestarted: true });
    const restored = performance.now();
    const before = lost.acknowledged.size;
    await expect.poll(() => lost.acknowledged.size, { timeout: 60_000 }).toBeGreaterThan(before);
    const backMs = performance.now() - restored;
    const again = await sendSave(lost, own);
    expect(again?.status).toBe(200);
    lost.acknowledged.set(own.key, (JSON.parse(again?.text ?? '') as { choice_id: string }).choice_id);
    for (const saver of savers) saver.kills = 1;
    await Promise.all(saving);
    for (const shop of [lost, healthy]) await workOff(shop);
    const countOf = (shop: Shop) => [...shop.refusals.values()].reduce((sum, count) => sum + count, 0);
    await context.annotate(
      `503 after ${(firstMs / 1000).toFixed(1)} s; ${countOf(lost)} calls with 503 in ${(silentMs / 1000).toFixed(0)} s, ${countOf(healthy)} of the other site; ` +
        `${open} connections to the coordinator at the end of it; saved again ${(backMs / 1000).toFixed(1)} s after the worker was back`,
    );
    for (const shop of [lost, healthy]) expect(await findLosses(shop)).toEqual(NOTHING_LOST);
    expect(healthy.refusals).toEqual(new Map());
  },
  START_MS,
);
