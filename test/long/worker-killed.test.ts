import { setTimeout as sleep } from 'node:timers/promises';
import { it } from 'vitest';
import type { ProductProcess } from '#test/harness/product-process.ts';
import { arrival, startDelivery } from './two-workers.ts';

/** A killed worker's job runs elsewhere within this time. */
const PROMISED_MS = 30_000;

/** How a worker comes to lose what it has leased; the one that only sleeps wakes up again and finds it made. */
const LOSSES: [string, (worker: ProductProcess) => () => void][] = [
  [
    'sleeps through the end of its lease',
    (worker) => {
      process.kill(worker.pid(), 'SIGSTOP');
      return () => process.kill(worker.pid(), 'SIGCONT');
    },
  ],
  [
    'is killed',
    (worker) => {
      worker.killServer();
      return () => {};
    },
  ],
];

// Both at once: nearly all of their time is the wait for a lease to end.
it.concurrent.for(LOSSES)(
  'a delivery whose worker %s in the middle of it is made by another one',
  async ([, lose], { expect, onTestFinished }) => {
    const { receiver, first, busy, read, stop } = await startDelivery();
    onTestFinished(stop);
    const lostMs = performance.now();
    const wake = lose(busy);

    const second = await arrival(receiver, 1, PROMISED_MS);
    const tookMs = second.atMs - lostMs;
    console.log(`It ran elsewhere ${(tookMs / 1000).toFixed(1)} s later`);
    expect(tookMs).toBeLessThan(PROMISED_MS);
    expect({ id: second.id, body: second.body }).toEqual({ id: first.id, body: first.body });

    await expect.poll(async () => (await read()).status, { timeout: 5000 }).toBe('arrived');
    wake();
    await sleep(2000);
    expect((await read()).attempts).toHaveLength(1);
    expect(await read()).toMatchObject({ status: 'arrived' });
    expect(receiver.arrivals, 'and only once').toHaveLength(2);
  },
);
