import { parentPort, workerData } from 'node:worker_threads';
import type { Config } from '#server/platform/config.ts';
import { createKeyring } from '#server/platform/secrets.ts';
import { inventPortions, type Portion } from './millions-rows.ts';

/*
 * A thread that invents customers: sealing and hashing them is what costs the time of a processor.
 */

const config = workerData as Config;

const services = {
  config,
  keyring: createKeyring(config.secretKeys),
  clock: {
    now: () => new Date(),
    wait: () => Promise.reject(new Error('What is invented waits for nothing')),
  },
};

parentPort?.on('message', (portions: Portion[]) => {
  const rows = inventPortions(services, portions);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
  parentPort?.postMessage(rows);
});
