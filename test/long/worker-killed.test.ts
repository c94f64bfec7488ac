import { createServer } from 'node:http';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject, it } from 'vitest';
import { getDelivery } from '#contract/deliveries.ts';
import { saveLists } from '#contract/public-preferences.ts';
import { createTestDatabase } from '#test/harness/database.ts';
import { callsTo } from '#test/harness/product.ts';
import { type ProductProcess, startProductProcess } from '#test/harness/product-process.ts';
import { buildCustomer, buildWebhook, buildWorld, openAsProven } from '#test/harness/world.ts';

/** A killed worker's job runs elsewhere within this time. */
const PROMISED_MS = 30_000;

interface Arrival {
  id: string;
  body: string;
  /** Of the sender. */
  port: number;
  atMs: number;
}

interface Receiver {
  url: string;
  arrivals: Arrival[];
  close(): void;
}

/** Answers all calls but the first, which never gets an answer. */
async function startReceiver(): Promise<Receiver> {
  const arrivals: Arrival[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const id = String(request.headers['webhook-id']);
      arrivals.push({ id, body, port: request.socket.remotePort ?? 0, atMs: performance.now() });
      if (arrivals.length > 1) response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    arrivals,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface Cluster {
  web: ProductProcess;
  workers: ProductProcess[];
  stop(): Promise<void>;
}

/** One process for the web and two workers, on a database of their own. */
async function startCluster(): Promise<Cluster> {
  const database = await createTestDatabase();
  const env = { DATABASE_URL: database.ownerUrl, SECRET_KEY: inject('secretKey') };
  const start = (role: string) => startProductProcess({ env: { ...env, ROLE: role } });
  const [web, ...workers] = await Promise.all([start('web'), start('worker'), start('worker')]);
  await web.untilReady();
  for (const worker of workers) await worker.untilAtWork();
  return {
    web,
    workers,
    async stop() {
      await Promise.all([web, ...workers].map((one) => one.stop()));
      await database.drop();
    },
  };
}

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
  async (loss, { expect, onTestFinished }) => {
    const [, lose] = loss;
    const { web, workers, stop } = await startCluster();
    onTestFinished(stop);
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const { arrivals } = receiver;
    const calls = callsTo(web.url);
    const world = await buildWorld(calls);
    await buildWebhook(calls, world, { url: receiver.url });
    const vera = await buildCustomer(calls, world);
    const customerId = await openAsProven(calls, world, vera);
    const body = [{ notification_list_id: world.weekly.id, subscribed: false }];
    await calls.call(saveLists, { params: { customerId }, body }, world.visitor);

    const first = await arrival(arrivals, 0, 10_000);
    const busy = workers.find((worker) => holdsConnection(worker.pid(), first.port));
    if (busy === undefined) throw new Error('None of the workers is sending');
    const lostMs = performance.now();
    const wake = lose(busy);

    const second = await arrival(arrivals, 1, PROMISED_MS);
    const tookMs = second.atMs - lostMs;
    console.log(`It ran elsewhere ${(tookMs / 1000).toFixed(1)} s later`);
    expect(tookMs).toBeLessThan(PROMISED_MS);
    expect({ id: second.id, body: second.body }).toEqual({ id: first.id, body: first.body });

    const read = () => calls.call(getDelivery, { params: { ...world.params, id: first.id } }, world.owner);
    await expect.poll(async () => (await read()).status, { timeout: 5000 }).toBe('arrived');
    wake();
    await sleep(2000);
    expect((await read()).attempts).toHaveLength(1);
    expect(await read()).toMatchObject({ status: 'arrived' });
    expect(arrivals, 'and only once').toHaveLength(2);
  },
);

async function arrival(arrivals: readonly Arrival[], index: number, withinMs: number): Promise<Arrival> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = arrivals[index];
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`Webhook ${index + 1} did not come in ${withinMs} ms`);
    await sleep(20);
  }
}

/** Does the process have a TCP connection from that local port? */
function holdsConnection(pid: number, port: number): boolean {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const sockets = readFileSync(`/proc/${pid}/net/tcp`, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(`:${hex}`) === true)
    .map((fields) => `socket:[${fields[9] ?? ''}]`);
  return readdirSync(`/proc/${pid}/fd`).some((fd) => {
    try {
      return sockets.includes(readlinkSync(`/proc/${pid}/fd/${fd}`));
    } catch {
      return false;
    }
  });
}
