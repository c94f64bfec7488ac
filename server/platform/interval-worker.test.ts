import { expect, it } from 'vitest';
import { createLog } from './log.ts';
import { startIntervalWorker } from './interval-worker.ts';

const log = createLog('silent');

it('rounds never overlap, and one that fails does not end them', async () => {
  let [running, most, rounds] = [0, 0, 0];
  const worker = startIntervalWorker('test', 1, log, async () => {
    running += 1;
    most = Math.max(most, running);
    rounds += 1;
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    if (rounds === 2) throw new Error('once');
  });
  await expect.poll(() => rounds).toBeGreaterThan(4);
  await worker.stop();
  expect(most).toBe(1);
});

it('stopping notifies the current round, waits for it, and starts no other', async () => {
  let [begun, ended] = [0, 0];
  const worker = startIntervalWorker('test', 1, log, async (signal) => {
    begun += 1;
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => setImmediate(resolve)));
    ended += 1;
  });
  await expect.poll(() => begun).toBe(1);
  await worker.stop();
  expect([begun, ended]).toEqual([1, 1]);
});
