import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { saveLists } from '#contract/public-preferences.ts';
import { listCustomers } from '#contract/customers.ts';
import { API_PREFIX } from '#contract/route.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/fakes/webhook-receiver.ts';
import { createTestDatabase, type TestDatabase } from '#test/harness/database.ts';
import { callsTo } from '#test/harness/product.ts';
import { freePort } from '#test/harness/ports.ts';
import { type ProductProcess, startProductProcess } from '#test/harness/product-process.ts';
import { scaled } from '#test/harness/scale.ts';
import { buildCustomer, buildWebhook, buildWorld, openAsProven, type World } from '#test/harness/world.ts';

/*
 * Two web processes and two workers share a database that allows exactly the connections that the table of
 * docs/settings.md adds up, while people of several sites save and owners read, all at once.
 */

const CONNECTIONS = 10;
const PROCESSES = 4;
const SITES = 4;
const PEOPLE_OF_SITE = 8;
const ROUNDS = scaled(4);

let database: TestDatabase;
let receiver: WebhookReceiver;
let processes: ProductProcess[];
let healthPorts: number[];

interface Shop {
  world: World;
  people: string[];
}

let shops: Shop[];

beforeAll(async () => {
  database = await createTestDatabase();
  receiver = await startWebhookReceiver();
  healthPorts = [await freePort(), await freePort()];
  // Superusers, as the owner is here, do not count.
  await database.owner.query(`alter database ${database.name} connection limit ${CONNECTIONS * PROCESSES}`);
  const env = {
    DATABASE_URL: database.ownerUrl,
    SECRET_KEY: inject('secretKey'),
    APP_URL: 'http://localhost:3999',
    DATABASE_CONNECTIONS: String(CONNECTIONS),
  };
  processes = [
    await startProductProcess({ env: { ...env, ROLE: 'web' } }),
    await startProductProcess({ env: { ...env, ROLE: 'web' } }),
    await startProductProcess({ env: { ...env, ROLE: 'worker', HEALTH_PORT: String(healthPorts[0]) } }),
    await startProductProcess({ env: { ...env, ROLE: 'worker', HEALTH_PORT: String(healthPorts[1]) } }),
  ];
  await Promise.all(webs().map((web) => web.untilReady()));
  await Promise.all(processes.slice(2).map((worker) => worker.untilAtWork()));
  shops = [];
  const calls = callsTo(webs()[0]?.url ?? '');
  for (let count = 0; count < SITES; count += 1) {
    const world = await buildWorld(calls);
    await buildWebhook(calls, world, { url: receiver.url });
    const people: string[] = [];
    for (let person = 0; person < PEOPLE_OF_SITE; person += 1) {
      people.push(await openAsProven(calls, world, await buildCustomer(calls, world)));
    }
    shops.push({ world, people });
  }
}, 180_000);

afterAll(async () => {
  await Promise.all(processes.map((one) => one.stop()));
  await database.drop();
  await receiver.close();
});

const webs = () => processes.slice(0, 2);

async function statusOf(url: string, init: RequestInit = {}): Promise<number> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(60_000) });
  await response.arrayBuffer();
  return response.status;
}

function save({ world }: Shop, person: string, base: string, subscribed: boolean): Promise<number> {
  return statusOf(`${base}${API_PREFIX}${saveLists.path.replace('{customerId}', person)}`, {
    method: saveLists.method,
    headers: { 'content-type': 'application/json', 'x-site-domain': world.site.domain_name },
    body: JSON.stringify([{ notification_list_id: world.weekly.id, subscribed }]),
  });
}

function read({ world }: Shop, base: string): Promise<number> {
  const { organization_id, site_id } = world.params;
  const path = listCustomers.path.replace('{organization_id}', organization_id).replace('{site_id}', site_id);
  return statusOf(`${base}${API_PREFIX}${path}`, {
    headers: { authorization: `Bearer ${world.owner.token}` },
  });
}

it('two web processes and two workers under load refuse nothing, and deliver everything', async (context) => {
  const counts: Record<number, number> = {};
  const count = (status: number) => (counts[status] = (counts[status] ?? 0) + 1);
  const began = performance.now();
  // Everybody at once: each person and each owner asks both processes without a pause.
  await Promise.all(
    shops.flatMap((shop, at) =>
      shop.people.map(async (person, index) => {
        for (let round = 0; round < ROUNDS; round += 1) {
          const base = webs()[(at + index + round) % 2]?.url ?? '';
          count(await save(shop, person, base, round % 2 === 1));
          count(await read(shop, base));
        }
      }),
    ),
  );
  const seconds = (performance.now() - began) / 1000;
  const requests = 2 * ROUNDS * SITES * PEOPLE_OF_SITE;
  const { rows } = await database.owner.query<{ open: number }>(
    `select count(*)::int as open from pg_stat_activity where datname = current_database() and usename like 'sayso_app%'`,
  );
  await context.annotate(
    `${requests} requests in ${seconds.toFixed(1)} s: ${JSON.stringify(counts)}; ${rows[0]?.open} connections open`,
  );
  expect(counts).toEqual({ 200: requests });
  expect(rows[0]?.open).toBeLessThanOrEqual(CONNECTIONS * PROCESSES);
  const leaves = Math.ceil(ROUNDS / 2) * SITES * PEOPLE_OF_SITE;
  await receiver.waitFor(leaves, 60_000);
});

it('workers answer on their health port: alive, ready, and their figures without a token', async () => {
  for (const port of healthPorts) {
    expect(await statusOf(`http://127.0.0.1:${port}/healthz`)).toBe(200);
    expect(await statusOf(`http://127.0.0.1:${port}/readyz`)).toBe(200);
    expect(await statusOf(`http://127.0.0.1:${port}/`)).toBe(404);
  }
  // An arrival is counted once it is recorded, a moment after the receiver has it.
  await expect.poll(arrivedOfWorkers).toBe(Math.ceil(ROUNDS / 2) * SITES * PEOPLE_OF_SITE);
});

it('a database with no connection left makes requests wait, and none is refused while others become free', async (context) => {
  // Fewer than the processes may open: most of them find none at first.
  await database.owner.query(`alter database ${database.name} connection limit 12`);
  await database.owner.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and usename like 'sayso_app%' and state = 'idle' and query not like 'listen%'`,
  );
  const [shop] = shops;
  if (shop === undefined) throw new Error('No shop');
  await expect.poll(() => read(shop, webs()[0]?.url ?? '')).toBe(200);
  const statuses = await Promise.all(
    shop.people.flatMap((_, index) => [0, 1].map((web) => read(shop, webs()[(index + web) % 2]?.url ?? ''))),
  );
  await context.annotate(`With 12 connections for four processes: ${statuses.join(' ')}`);
  expect(new Set(statuses)).toEqual(new Set([200]));
});

async function arrivedOfWorkers(): Promise<number> {
  const texts = await Promise.all(
    healthPorts.map(async (port) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()),
  );
  const arrived = texts.map((text) =>
    Number(/sayso_deliveries_total\{type="webhook",outcome="arrived"\} (\d+)/.exec(text)?.[1] ?? 0),
  );
  return arrived.reduce((sum, one) => sum + one, 0);
}
