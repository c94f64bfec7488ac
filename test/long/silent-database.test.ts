import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { createLog } from '#server/platform/log.ts';
import { openPubsub, publishStatement } from '#server/platform/pubsub.ts';
import { type JobQueue, startQueue } from '#server/platform/queue.ts';
import { QUEUES } from '#server/queues.ts';
import { openCommitGate } from '#test/harness/commit-gate.ts';
import { createTestDatabase } from '#test/harness/database.ts';
import { createOwnedDatabase, type OwnedDatabase } from '#test/harness/plain-owner.ts';
import { type ProductProcess, startProductProcess } from '#test/harness/product-process.ts';
import { startTestProduct } from '#test/harness/product.ts';
import { openSilentLine } from '#test/harness/silent-line.ts';
import { buildWorld } from '#test/harness/world.ts';
import { findLosses, NOTHING_LOST, openShop, saveMany, sendSave, type Shop, workOff } from './saves.ts';

/*
 * A database whose machine vanishes, or that a network no longer reaches: unlike one that is killed, it closes nothing and
 * refuses nothing. It just stops answering.
 */

const SAVES = 600;
const BEFORE_SILENCE = 100;

/** A statement waits for 15 seconds; then nothing else of its request does. */
const FIRST_ANSWER_MS = 18_000;
/** What finds no connection left has to open one, which is given up after 0.9 seconds. */
const NEXT_ANSWER_MS = 3_000;
const BACK_WITHIN_MS = 10_000;

/** Longer than a statement waits, so that answers come and not the end of a caller's patience. */
const PATIENCE_MS = 30_000;

let database: OwnedDatabase;
let product: ProductProcess;
let shop: Shop;
let close: () => Promise<void>;

function through(url: string, { port }: { port: number }): string {
  return Object.assign(new URL(url), { port: String(port) }).href;
}

/** The product, with a line between it and its database. */
async function open(line: { port: number; close: () => Promise<void> }): Promise<void> {
  close = line.close;
  product = await startProductProcess({ env: { DATABASE_URL: through(database.url, line) } });
  await product.untilReady();
  shop = await openShop(product);
  shop.patienceMs = PATIENCE_MS;
}

const portOf = ({ url }: OwnedDatabase) => Number(new URL(url).port);

async function timed<T>(work: Promise<T>): Promise<{ ms: number; answer: T }> {
  const began = performance.now();
  const answer = await work;
  return { ms: performance.now() - began, answer };
}

async function look(path: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${product.url}${path}`, { signal: AbortSignal.timeout(PATIENCE_MS) });
  return { status: answer.status, text: await answer.text() };
}

describe('a product whose database stops answering', () => {
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') console.error(product.output().slice(-5000));
    await shop.receiver.close();
    await product.stop();
    await close();
    await database.drop();
  });

  it('answers with 503 in time, continues once it is back, and loses nothing', async (context) => {
    database = await createOwnedDatabase(inject('ownerUrl'));
    const line = await openSilentLine(portOf(database));
    await open(line);
    const last = shop.customers.length - 1;
    const own = { index: last, key: `save-${last}-0`, subscribed: true };
    const others = { ...shop, customers: shop.customers.slice(0, last) };
    const saving = saveMany(others, { saves: SAVES, kills: 0 });
    await expect.poll(() => shop.acknowledged.size, { interval: 10 }).toBeGreaterThan(BEFORE_SILENCE);

    line.silence();
    const [save, health] = await Promise.all([timed(sendSave(shop, own)), timed(look('/readyz'))]);
    expect(save.answer).toMatchObject({ status: 503, retryAfter: '2' });
    expect(save.ms).toBeLessThan(FIRST_ANSWER_MS);
    expect(health.answer.status).toBe(503);
    expect(health.answer.text).toContain("We can't reach the database right now.");
    expect(health.ms).toBeLessThan(FIRST_ANSWER_MS);
    expect(await look('/healthz')).toMatchObject({ status: 200 });
    const next = await timed(sendSave(shop, own));
    expect(next.answer).toMatchObject({ status: 503, retryAfter: '2' });
    expect(next.ms).toBeLessThan(NEXT_ANSWER_MS);
    // Whoever was within a transaction has been given up by both sides.
    await sleep(3000);

    line.restore();
    const back = await timed(product.untilReady(BACK_WITHIN_MS));
    const again = await timed(sendSave(shop, own));
    expect(again.answer?.status).toBe(200);
    shop.acknowledged.set(own.key, (JSON.parse(again.answer?.text ?? '') as { choice_id: string }).choice_id);
    const saved = await timed(saving);
    const workedOff = await workOff(shop);
    await context.annotate(
      `503 after ${save.ms.toFixed(0)} ms and then ${next.ms.toFixed(0)} ms, /readyz after ${health.ms.toFixed(0)} ms; ` +
        `ready ${back.ms.toFixed(0)} ms after the line was back, all saves ${(saved.ms / 1000).toFixed(1)} s and all deliveries ${workedOff.toFixed(1)} s later; ` +
        `${shop.acknowledged.size} saves, ${[...shop.refusals.values()].reduce((sum, count) => sum + count, 0)} calls with 503`,
    );
    expect(shop.refusals.size).toBeGreaterThan(0);
    expect(await findLosses(shop)).toEqual(NOTHING_LOST);
  });

  it('stores a save once whose commit was stored and not answered, however often it is sent again', async () => {
    database = await createOwnedDatabase(inject('ownerUrl'));
    const gate = await openCommitGate(portOf(database));
    await open(gate);
    let isHeld = false;
    const held = gate.hold({ afterAnswer: 'COMMIT', about: /save-\d+-0/ }).then(() => {
      isHeld = true;
      return 'held' as const;
    });
    let sent = { index: 0, key: '', subscribed: false };
    let answer: ReturnType<typeof sendSave> = Promise.resolve(null);
    for (let index = 0; !isHeld; index += 1) {
      sent = { index, key: `save-${index}-0`, subscribed: true };
      answer = sendSave(shop, sent);
      const first = await Promise.race([held, answer]);
      if (first !== 'held')
        shop.acknowledged.set(sent.key, (JSON.parse(first?.text ?? '') as { choice_id: string }).choice_id);
    }
    const undecided = await answer;
    expect(undecided).toMatchObject({ status: 503, retryAfter: '2' });
    expect(undecided?.text).toContain('Check whether your change was saved before you try again.');
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query<{ id: string }>('select id from choices where save_id = $1', [
      sent.key,
    ]);
    await client.end();
    expect(rows).toHaveLength(1);
    for (let time = 0; time < 2; time += 1) {
      const again = await sendSave(shop, sent);
      expect(again?.status).toBe(200);
      expect(JSON.parse(again?.text ?? '')).toMatchObject({ choice_id: rows[0]?.id });
    }
    shop.acknowledged.set(sent.key, rows[0]?.id ?? '');
    await workOff(shop);
    expect(await findLosses(shop)).toEqual(NOTHING_LOST);
  });
});

describe('an idle connection', () => {
  it('that listens for changes learns within seconds that its database is gone, and listens again', async () => {
    const testDatabase = await createTestDatabase();
    const line = await openSilentLine(Number(new URL(testDatabase.appUrl).port));
    const pubsub = await openPubsub(through(testDatabase.appUrl, line), createLog('silent'));
    const told: string[] = [];
    let gaps = 0;
    pubsub.on('changed', (text) => told.push(text));
    pubsub.onGap(() => (gaps += 1));
    try {
      line.silence();
      line.restore();
      await expect.poll(() => gaps, { timeout: 20_000 }).toBeGreaterThan(0);
      await expect.poll(() => pubsub.isListening).toBe(true);
      const { sql, parameters } = publishStatement('changed', 'site:1');
      await testDatabase.owner.query(sql, parameters);
      await expect.poll(() => told).toEqual(['site:1']);
    } finally {
      await pubsub.close();
      await line.close();
      await testDatabase.drop();
    }
  });

  it('that waits for a job asks for the next one again', async () => {
    const product = await startTestProduct();
    const { appUrl } = product.testDatabase;
    const line = await openSilentLine(Number(new URL(appUrl).port));
    const { services } = product;
    const [first] = QUEUES as [JobQueue];
    const queue = await startQueue(through(appUrl, line), {
      log: createLog('silent'),
      worker: false,
      pubsub: services.pubsub,
      pool: services.database.pool,
      connections: 2,
    });
    const done: string[] = [];
    try {
      const running = await queue.work(first, 1, async ({ id }) => void done.push(id));
      const world = await buildWorld(product);
      const ask = (id: string) =>
        services.database.inSite(world.site.id, (site) =>
          services.queue.enqueue(site, first, [{ id, round: 1 }]),
        );
      await ask('before');
      await expect.poll(() => done).toEqual(['before']);
      line.silence();
      // It has asked meanwhile.
      await sleep(3000);
      line.restore();
      await ask('after');
      await expect.poll(() => done, { timeout: 60_000 }).toEqual(['before', 'after']);
      await running.stop();
    } finally {
      await queue.stop();
      await line.close();
      await product.stop();
    }
  });
});
