import { parentPort, workerData } from 'node:worker_threads';
import type { Config } from '#server/platform/config.ts';
import { createKeyring } from '#server/platform/secrets.ts';
import { generatePortions, type Portion } from './millions-rows.ts';

/*
 * A thread that generates customers, because sealing and hashing them is what takes CPU.
 */

const config = workerData as Config;

const services = {
  config,
  keyring: createKeyring(config.secretKeys),
  clock: {
    now: () => new Date(),
    wait: () => Promise.reject(new Error('Generating never waits')),
  },
};

parentPort?.on('message', (portions: Portion[]) => {
  const rows = generatePortions(services, portions);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
  parentPort?.postMessage(rows);
});
