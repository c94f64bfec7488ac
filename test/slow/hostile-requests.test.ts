import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mintLinks } from '#contract/customers.ts';
import { eachOf } from '#test/harness/each-of.ts';
import { callsTo } from '#test/harness/product.ts';
import { type ProductProcess, startProductProcess } from '#test/harness/product-process.ts';
import { buildCustomer, buildWorld } from '#test/harness/world.ts';
import { buildHostileRequests, type HostileRequests } from '#test/load/hostile-requests.ts';
import type { OneClick } from '#test/load/one-clicks.ts';

const LINKS = 200;
const PAUSE_MS = 10;
const AT_MOST_MS = 500;

let product: ProductProcess;
let attacks: HostileRequests[];
let links: string[];

beforeAll(async () => {
  product = await startProductProcess();
  await product.untilReady();
  const calls = callsTo(product.url);
  const acme = await buildWorld(calls);
  links = [];
  for (let n = 0; n < LINKS; n += 1) {
    const { id } = await buildCustomer(calls, acme);
    const { one_click_url } = await calls.call(
      mintLinks,
      { params: { ...acme.params, id }, body: {} },
      acme.owner,
    );
    links.push(one_click_url);
  }
  attacks = await buildHostileRequests(calls, product.url, await buildWorld(calls, 'mallory'));
});

afterAll(() => product.stop());

/** @returns the answers to another tenant's one-clicks while `work` goes on, of which there is one at least */
async function oneClicksDuring(work: () => Promise<unknown>): Promise<OneClick[]> {
  const child = spawn(process.execPath, ['test/load/one-clicks.ts', product.url, String(PAUSE_MS), ...links]);
  const lines = createInterface(child.stdout);
  await once(lines, 'line');
  await work();
  const line = once(lines, 'line');
  child.kill('SIGTERM');
  const [answers] = (await line) as [string];
  return JSON.parse(answers) as OneClick[];
}

it('another tenant’s one-click is answered within half a second while hostile requests are', async (context) => {
  await eachOf(
    attacks,
    async ({ name, send, expected }) => {
      let statuses: Awaited<ReturnType<typeof send>> = [];
      const answers = await oneClicksDuring(async () => {
        statuses = await send();
      });
      const slowest = Math.max(...answers.map(({ ms }) => ms));
      await context.annotate(`${name}: ${answers.length} one-clicks, the slowest ${slowest.toFixed(0)} ms`);
      expect(statuses.filter((status) => !expected.includes(status))).toEqual([]);
      expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
      expect(slowest).toBeLessThan(AT_MOST_MS);
    },
    ({ name }) => name,
  );
  expect(product.starts()).toBe(1);
});
