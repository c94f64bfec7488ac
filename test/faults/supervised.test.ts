import { expect, it, onTestFinished } from 'vitest';
import { type ProductProcess, startProductProcess } from '#test/harness/product-process.ts';
import { kill } from '#test/harness/process-tree.ts';

/** As `npm start` runs it. */
async function startAsPeopleDo(env: Record<string, string> = {}): Promise<ProductProcess> {
  const product = await startProductProcess({ entry: 'scripts/run.mjs', env });
  onTestFinished(() => product.stop());
  return product;
}

const restartsIn = (product: ProductProcess) => product.output().match(/is started again .*\./g) ?? [];

it('a server that dies is started again: at once, then after a pause, and no more once it is told to stop', async () => {
  const product = await startAsPeopleDo();
  await product.untilReady();
  for (const restarts of [1, 2]) {
    const [server] = product.children();
    kill(server);
    await expect.poll(() => restartsIn(product).length, { timeout: 30_000 }).toBe(restarts);
    await expect.poll(() => product.children().length, { timeout: 30_000 }).toBe(1);
    await product.untilReady();
  }
  expect(restartsIn(product)).toEqual(['is started again now.', 'is started again in 1 s.']);
  const [server] = product.children();
  await product.stop();
  expect(() => process.kill(server ?? 0, 0)).toThrow('ESRCH');
});

it('a server that cannot start says why once, and is not started again', async () => {
  const product = await startAsPeopleDo({ APP_URL: 'nowhere' });
  expect(await product.ended()).toBe(1);
  expect(product.output().match(/APP_URL/g)).toHaveLength(1);
  expect(restartsIn(product)).toEqual([]);
});
