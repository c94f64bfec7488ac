import { it } from 'vitest';
import { startProductProcess } from '#test/harness/product-process.ts';
import { openShop, saveMany, workOff, killMeanwhile } from './saves.ts';
it('rate', async () => {
  const product = await startProductProcess({ keepAlive: true });
  await product.untilReady();
  const shop = await openShop(product);
  let t = performance.now();
  await saveMany(shop, 1000);
  console.log('1000 saves, no kill', performance.now() - t, 'webhooks', shop.receiver.received.length);
  console.log('work off', await workOff(shop), shop.receiver.received.length);
  t = performance.now();
  const log: string[] = [];
  let n = 0;
  const timer = setInterval(() => {
    log.push(
      `${Math.round(performance.now() - t)}:${shop.acknowledged.size}/${shop.repeats}/${shop.receiver.received.length}`,
    );
  }, 200);
  shop.acknowledged.clear();
  const p = saveMany(shop, 2000);
  // other keys
  const kills = await killMeanwhile(shop, p, () => {
    log.push('KILL');
    shop.product.killServer();
  });
  clearInterval(timer);
  console.log(kills, log.join(' '));
  await shop.receiver.close();
  await product.stop();
  console.log(product.output().slice(0, 6000));
});
