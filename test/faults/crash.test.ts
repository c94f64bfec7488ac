import { expect, it, onTestFinished } from 'vitest';
import { startProductProcess } from '#test/harness/product-process.ts';
import { findLosses, killMeanwhile, NOTHING_LOST, openShop, saveMany, workOff } from '#test/long/saves.ts';
import { arrival, startDelivery } from '#test/long/two-workers.ts';
import { endLeases } from '#test/harness/leases.ts';

const SAVES = 96;

it('a server that is killed with its PostgreSQL while people save loses no acknowledged save and no delivery', async () => {
  const product = await startProductProcess({ keepAlive: true });
  onTestFinished(() => product.stop());
  await product.untilReady();
  const shop = await openShop(product, 16);
  onTestFinished(() => shop.receiver.close());
  const atLeast = { saves: SAVES, kills: 1 };
  await killMeanwhile(shop, saveMany(shop, atLeast), SAVES / 4, () => {
    product.killServer();
    product.killDatabase();
  });
  await product.untilReady();
  await endLeases(product.databaseUrl());
  await workOff(shop);
  expect(shop.acknowledged.size).toBeGreaterThanOrEqual(SAVES);
  expect(shop.kills).toBeGreaterThanOrEqual(1);
  expect(await findLosses(shop)).toEqual(NOTHING_LOST);
});

it('a delivery whose worker is killed in the middle of it is made by another one, once its lease has ended', async () => {
  const { cluster, receiver, first, busy, read, stop } = await startDelivery();
  onTestFinished(stop);
  busy.killServer();
  await endLeases(cluster.database.ownerUrl);
  const second = await arrival(receiver, 1);
  expect({ id: second.id, body: second.body }).toEqual({ id: first.id, body: first.body });
  await expect.poll(async () => (await read()).status).toBe('arrived');
  expect((await read()).attempts).toHaveLength(1);
});
