import { createServer } from 'node:http';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import { type DeliveryDetail, getDelivery } from '#contract/deliveries.ts';
import { saveLists } from '#contract/public-preferences.ts';
import { createTestDatabase, type TestDatabase } from '#test/harness/database.ts';
import { callsTo } from '#test/harness/product.ts';
import { type ProductProcess, startProductProcess } from '#test/harness/product-process.ts';
import { buildCustomer, buildWebhook, buildWorld, openAsProven } from '#test/harness/world.ts';

export interface Arrival {
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

export interface Cluster {
  web: ProductProcess;
  database: TestDatabase;
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
    database,
    async stop() {
      await Promise.all([web, ...workers].map((one) => one.stop()));
      await database.drop();
    },
  };
}

/** A delivery that one of two workers is making, to a receiver that doesn't answer it. */
export interface InTheMiddle {
  cluster: Cluster;
  receiver: Receiver;
  /** The webhook that has no answer. */
  first: Arrival;
  /** The worker that sent it. */
  busy: ProductProcess;
  read(): Promise<DeliveryDetail>;
  stop(): Promise<void>;
}

export async function startDelivery(): Promise<InTheMiddle> {
  const [cluster, receiver] = await Promise.all([startCluster(), startReceiver()]);
  const calls = callsTo(cluster.web.url);
  const world = await buildWorld(calls);
  await buildWebhook(calls, world, { url: receiver.url });
  const vera = await buildCustomer(calls, world);
  const customerId = await openAsProven(calls, world, vera);
  const body = [{ notification_list_id: world.weekly.id, subscribed: false }];
  await calls.call(saveLists, { params: { customerId }, body }, world.visitor);
  const first = await arrival(receiver, 0);
  const busy = cluster.workers.find((worker) => holdsConnection(worker.pid(), first.port));
  if (busy === undefined) throw new Error('None of the workers is sending');
  return {
    cluster,
    receiver,
    first,
    busy,
    read: () => calls.call(getDelivery, { params: { ...world.params, id: first.id } }, world.owner),
    async stop() {
      receiver.close();
      await cluster.stop();
    },
  };
}

/** Waits for a webhook. */
export async function arrival({ arrivals }: Receiver, index: number, withinMs = 40_000): Promise<Arrival> {
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
