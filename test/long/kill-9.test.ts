import { afterEach, describe, expect, it, type TestContext } from 'vitest';
import { type ProcessOptions, startProductProcess } from '#test/harness/product-process.ts';
import { scaled } from '#test/harness/scale.ts';
import {
  findLosses,
  inDatabase,
  killMeanwhile,
  NOTHING_LOST,
  openShop,
  saveMany,
  type Shop,
  workOff,
} from './saves.ts';

const SAVES = scaled(500);

/** `TEST_SCALE=200`: 100,000 saves, and a server that sleeps through the end of its leases. */
const IS_LONG = scaled(1) >= 10;
const KILLS = Math.min(40, scaled(4));
const PATIENCE_MS = scaled(600_000);
const LONGER_THAN_A_LEASE_MS = 25_000;

let shop: Shop;

afterEach(async () => {
  await shop.receiver.close();
  await shop.product.stop();
});

async function open(options: ProcessOptions = {}): Promise<void> {
  const product = await startProductProcess({ keepAlive: true, ...options });
  await product.untilReady();
  shop = await openShop(product);
}

async function run(
  context: TestContext,
  atLeast: { saves: number; kills: number },
  kill: (round: number) => void,
): Promise<void> {
  const began = performance.now();
  const savesInBetween = Math.ceil(atLeast.saves / atLeast.kills / 2);
  await killMeanwhile(shop, saveMany(shop, atLeast), savesInBetween, kill);
  const seconds = (performance.now() - began) / 1000;
  const workedOff = await workOff(shop);
  const ids = new Set(shop.receiver.received.map(({ headers }) => headers['webhook-id']));
  await context.annotate(
    `${shop.acknowledged.size} saves in ${seconds.toFixed(0)} s with ${shop.kills} kills and ${shop.repeats} repeated saves; ` +
      `${ids.size} deliveries, ${shop.receiver.received.length - ids.size} webhooks came again; ` +
      `all jobs done ${workedOff.toFixed(0)} s later`,
  );
  expect(shop.acknowledged.size).toBeGreaterThanOrEqual(atLeast.saves);
  expect(shop.kills).toBeGreaterThanOrEqual(atLeast.kills);
}

function sleepThroughLeases(): void {
  const pid = shop.product.pid();
  process.kill(pid, 'SIGSTOP');
  setTimeout(() => process.kill(pid, 'SIGCONT'), LONGER_THAN_A_LEASE_MS);
}

describe('kill -9 every two seconds', () => {
  it(
    `of the server during ${SAVES} saves loses no acknowledged save and no delivery`,
    async (context) => {
      await open();
      await run(context, { saves: SAVES, kills: KILLS }, () => shop.product.killServer());
      expect(shop.product.starts(), shop.product.output().slice(-3000)).toBe(shop.kills + 1);
      expect(await findLosses(shop)).toEqual(NOTHING_LOST);
    },
    PATIENCE_MS,
  );

  it(
    'of the server with its PostgreSQL, or of PostgreSQL only, loses nothing either',
    async (context) => {
      await open();
      await run(context, { saves: scaled(250), kills: KILLS - 1 }, (round) => {
        if (IS_LONG && round % 3 === 2) return sleepThroughLeases();
        // Alone, PostgreSQL is started again by the server.
        if (round % 2 === 0) shop.product.killServer();
        shop.product.killDatabase();
      });
      expect(await findLosses(shop)).toEqual(NOTHING_LOST);
    },
    PATIENCE_MS,
  );
});

describe('this proof', () => {
  it('fails when synchronous_commit is off', async (context) => {
    await open();
    await inDatabase(shop, [
      // The setting of a database stands above the one that the product starts PostgreSQL with.
      'alter database sayso set synchronous_commit = off',
      `alter system set wal_writer_delay = '10s'`,
      'select pg_reload_conf()',
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = 'sayso' and pid <> pg_backend_pid()`,
    ]);
    await run(context, { saves: 400, kills: 2 }, () => {
      shop.product.killServer();
      shop.product.killDatabase();
    });
    expect((await findLosses(shop)).lostSaves).not.toEqual([]);
  });

  it('fails when deliveries are written outside the transaction of their choice', async (context) => {
    await open({ entry: 'test/long/deliveries-after-commit.ts' });
    await run(context, { saves: scaled(250), kills: 3 }, () => shop.product.killServer());
    const losses = await findLosses(shop);
    expect(losses.choicesWithoutTheirDelivery).not.toEqual([]);
    expect(losses.lostSaves).toEqual([]);
  });
});
