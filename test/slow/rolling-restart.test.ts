import { request as httpsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectWithTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, inject, it, type TestContext } from 'vitest';
import { saveLists } from '#contract/public-preferences.ts';
import { API_PREFIX } from '#contract/route.ts';
import { type Caddy, startCaddy } from '#test/harness/caddy.ts';
import { createTestDatabase, type TestDatabase } from '#test/harness/database.ts';
import { callsTo } from '#test/harness/product.ts';
import { freePort } from '#test/harness/ports.ts';
import { type ProductProcess, startProductProcess } from '#test/harness/product-process.ts';
import { buildCustomer, buildWorld, openAsProven, type World } from '#test/harness/world.ts';

/* People save without pause, through Caddy with the Caddyfile that we hand out, while processes are stopped and started. */

const CLIENTS = 12;

let database: TestDatabase;
let ports: [number, number];
let caddy: Caddy;
let world: World;
let sealed: string[];
const running = new Map<number, ProductProcess>();

async function start(port: number): Promise<void> {
  const env = {
    DATABASE_URL: database.ownerUrl,
    SECRET_KEY: inject('secretKey'),
    APP_URL: `http://localhost:${ports[0]}`,
    ROLE: 'web',
    TRUST_PROXY: '1',
    DATABASE_CONNECTIONS: '10',
  };
  const product = await startProductProcess({ port, env });
  running.set(port, product);
  await product.untilReady();
}

async function restart(port: number): Promise<void> {
  await running.get(port)?.stop();
  await start(port);
}

beforeAll(async () => {
  database = await createTestDatabase();
  ports = [await freePort(), await freePort()];
  await Promise.all(ports.map(start));
  const calls = callsTo(`http://127.0.0.1:${ports[0]}`);
  world = await buildWorld(calls);
  sealed = [];
  for (let count = 0; count < CLIENTS; count += 1) {
    sealed.push(await openAsProven(calls, world, await buildCustomer(calls, world)));
  }
});

afterAll(async () => {
  await Promise.all([...running.values()].map((product) => product.stop()));
  await database.drop();
});

interface Saved {
  answers: Record<string, number>;
  slowestMs: number;
}

/**
 * When Caddy replaces its listener, the kernel resets connections that nobody had accepted yet (unless
 * `net.ipv4.tcp_migrate_req` is 1). Not a byte came back over them, so that no request was sent: TLS never began. A client
 * opens another one.
 */
const wasNeverAccepted = ({ code }: NodeJS.ErrnoException, socket: Socket) =>
  code === 'ECONNRESET' && socket.bytesRead === 0;

function save(customer: string, subscribed: boolean): Promise<string> {
  const body = JSON.stringify([{ notification_list_id: world.weekly.id, subscribed }]);
  const { domain_name: host } = world.site;
  return new Promise((resolve) => {
    const socket = connect(caddy.httpsPort, '127.0.0.1');
    const outgoing = httpsRequest(
      {
        createConnection: () => connectWithTls({ socket, servername: host, ca: caddy.authority() }),
        method: 'PUT',
        path: `${API_PREFIX}${saveLists.path.replace('{customerId}', customer)}`,
        headers: { host, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      },
      (response) => {
        response.resume();
        response.on('end', () => resolve(String(response.statusCode)));
      },
    );
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (wasNeverAccepted(error, socket)) resolve(save(customer, subscribed));
      else resolve(error.message);
    });
    outgoing.end(body);
  });
}

/**
 * Saves until `work` is done, each over a connection of its own: a client of HTTP/1.1 that kept one could not tell whether
 * it was closed before or after its request. (Browsers speak HTTP/2 here, and are told.)
 */
async function saveMeanwhile(work: () => Promise<void>): Promise<Saved> {
  const saved: Saved = { answers: {}, slowestMs: 0 };
  let isDone = false;
  async function client(customer: string): Promise<void> {
    for (let round = 0; !isDone; round += 1) {
      const began = performance.now();
      const answer = await save(customer, round % 2 === 0);
      saved.answers[answer] = (saved.answers[answer] ?? 0) + 1;
      saved.slowestMs = Math.max(saved.slowestMs, performance.now() - began);
      // People pause between two saves; without it, the machine does nothing else.
      await sleep(20);
    }
  }
  const clients = Promise.all(sealed.map(client));
  try {
    await work();
  } finally {
    isDone = true;
    await clients;
  }
  return saved;
}

async function expectNoneRefused(context: TestContext, work: () => Promise<void>): Promise<void> {
  const { answers, slowestMs } = await saveMeanwhile(work);
  await context.annotate(`${JSON.stringify(answers)}, the slowest took ${(slowestMs / 1000).toFixed(1)} s`);
  expect(answers).toEqual({ 200: expect.any(Number) });
}

describe('behind Caddy, with the Caddyfile that we ship, no save is refused', () => {
  it('while each of two processes is restarted, and while Caddy reads its file again', async (context) => {
    caddy = await startCaddy(ports.map((port) => `127.0.0.1:${port}`).join(' '));
    try {
      await expectNoneRefused(context, async () => {
        for (const port of ports) await restart(port);
        await caddy.reload();
        await caddy.reload();
      });
    } finally {
      await caddy.stop();
    }
  });

  it('while the only process is restarted: saves wait for it', async (context) => {
    caddy = await startCaddy(`127.0.0.1:${ports[0]}`);
    try {
      await expectNoneRefused(context, () => restart(ports[0]));
    } finally {
      await caddy.stop();
    }
  });
});
