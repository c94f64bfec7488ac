import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { callRoute } from '#contract/client.ts';
import { API_PREFIX } from '#contract/route.ts';
import { createSite } from '#contract/sites.ts';
import { createManySites } from '#db/demo/many-sites.ts';
import { dueSites } from '#server/delivery/deliveries/delivery-queue.sql.ts';
import { readConfig } from '#server/platform/config.ts';
import { newId } from '#server/platform/ids.ts';
import { createLog } from '#server/platform/log.ts';
import { migrate } from '#server/platform/migrate.ts';
import { startEmbeddedPostgres } from '#server/platform/postgres/embedded.ts';
import { createKeyring, withSecretKeys } from '#server/platform/secrets.ts';
import { createProduct, type Product } from '#server/product.ts';
import { QUEUES } from '#server/queues.ts';
import { BENCH_SETTINGS } from './bench-site.ts';
import { openBlockMeter } from './block-meter.ts';
import { freePort } from '#test/harness/ports.ts';
import { type SignedUp, signUpWholly } from './sign-up.ts';

/*
 * `npm run bench -- sites 10000`: what a look for work, a host and a new site cost among so many sites, and how long
 * their deliveries wait when all of them have one due at the same moment. `BENCH_DATA=folder` keeps the data.
 */

/** Where the actions of these sites send to. */
const RECEIVER_PORT = 4999;

const RUNS = 11;

export async function benchManySites([asked = '1000']: readonly string[]): Promise<void> {
  const count = Number(asked);
  const kept = process.env['BENCH_DATA'];
  const dataDir = kept ?? mkdtempSync(join(tmpdir(), 'sayso-sites-'));
  mkdirSync(dataDir, { recursive: true });
  const log = createLog('error');
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  const owner = new pg.Client({ connectionString: postgres.url });
  let due = 0;
  // While a product stops, nothing else may keep the process.
  const alive = setInterval(() => {}, 1000);
  try {
    const port = String(await freePort());
    const env = {
      ...BENCH_SETTINGS,
      NODE_ENV: 'test',
      DATA_DIR: dataDir,
      PORT: port,
      DATABASE_CONNECTIONS: '6',
    };
    const config = withSecretKeys(readConfig(env));
    const url = await migrate(postgres.url, createKeyring(config.secretKeys), QUEUES);
    await owner.connect();
    const start = (worker: boolean) => createProduct(config, url, { log, worker });
    const product = await start(false);
    await product.listen();
    try {
      await createManySites(product.services, { sites: count, ownerUrl: postgres.url, say: console.error });
      await owner.query('vacuum analyze');
      due = await makeDue(owner);
      await printCosts(product, { base: config.appUrl, ownerUrl: postgres.url, count });
    } finally {
      await product.stop();
    }
    await printWaits(() => start(true), due);
  } finally {
    clearInterval(alive);
    await owner.end();
    await postgres.stop();
    if (kept === undefined) rmSync(dataDir, { recursive: true, force: true });
  }
}

/** One delivery of each site becomes due now, and its mark says so. */
async function makeDue(owner: pg.Client): Promise<number> {
  await owner.query(
    `update deliveries set status = 'waiting', finished_at = null, outcome = null, next_attempt_at = now()
     where (site_id, id) in (select distinct on (site_id) site_id, id from deliveries order by site_id, id)`,
  );
  await owner.query(`update deliveries set next_attempt_at = now() where next_attempt_at is not null`);
  await owner.query('delete from sites_with_work');
  const { rowCount } = await owner.query(
    `insert into sites_with_work (site_id, due_at, hold_until)
     select distinct site_id, now() - interval '1 second', now() from deliveries where next_attempt_at is not null`,
  );
  await owner.query('vacuum analyze deliveries');
  await owner.query('vacuum analyze sites_with_work');
  return rowCount ?? 0;
}

async function printCosts(
  { services }: Product,
  { base, ownerUrl, count }: { base: string; ownerUrl: string; count: number },
): Promise<void> {
  const meter = await openBlockMeter(ownerUrl, services.database.pool);
  const hostOf = (turn: number, step: number) => `site-${1 + ((turn * 37 + step) % count)}.localhost`;
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${base}${API_PREFIX}${path}`, { headers });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status}`);
  };
  let owner: SignedUp | null = null;
  const calls: [name: string, run: (turn: number) => Promise<unknown>][] = [
    [
      'the next sites with work',
      () => dueSites(services.database.global, { now: new Date(), without: [], limit: 50 }),
    ],
    ['TLS ask of a new host', (turn) => get(`/tls/ask?domain=${hostOf(turn, 1)}`)],
    ['TLS ask of nobody', () => get(`/tls/ask?domain=${newId()}.localhost`).catch(() => null)],
    [
      'public page of a new host',
      (turn) => get('/customer/v1/preferences/preferences', { 'x-site-domain': hostOf(turn, 500) }),
    ],
    ['sign-up, with the survey, organization and site', async () => void (owner = await signUpWholly(base))],
    [
      'a new site with its host',
      () => {
        const name = `new-${newId().slice(-8)}`;
        return callRoute(
          createSite,
          { params: { organization_id: owner?.organization ?? '' }, body: { domain_name: name, name } },
          { base, headers: { ...owner?.headers } },
        );
      },
    ],
  ];
  console.log(`\n${count.toLocaleString('en')} sites, ${cpus().length} cores, Node ${process.version}`);
  console.log('| what | blocks | ms |\n|---|---:|---:|');
  try {
    for (const [name, run] of calls) {
      const { blocks, ms } = await meter.costOf(run, name.startsWith('sign-up') ? 3 : RUNS);
      console.log(`| ${name} | ${blocks} | ${ms.toFixed(1)} |`);
    }
  } finally {
    await meter.close();
  }
}

/** From the start of a worker: when did each site's first delivery arrive? */
async function printWaits(start: () => Promise<Product>, count: number): Promise<void> {
  const arrived = new Map<string, number>();
  let began = 0;
  const receiver = createServer((request, response) => {
    let text = '';
    request
      .setEncoding('utf8')
      .on('data', (some: string) => (text += some))
      .on('end', () => {
        const { data } = JSON.parse(text) as { data: { site: string } };
        if (!arrived.has(data.site)) arrived.set(data.site, performance.now() - began);
        response.writeHead(204).end();
      });
  });
  await new Promise<void>((resolve) => receiver.listen(RECEIVER_PORT, '127.0.0.1', resolve));
  try {
    began = performance.now();
    const product = await start();
    try {
      while (arrived.size < count && performance.now() - began < 600_000) await sleep(250);
    } finally {
      await product.stop();
    }
    const waits = [...arrived.values()].toSorted((one, other) => one - other);
    const at = (part: number) => ((waits[Math.ceil(waits.length * part) - 1] ?? 0) / 1000).toFixed(1);
    console.log(
      `\n${waits.length} sites served: the first after ${at(1 / count)} s, half after ${at(0.5)} s, 99 % after ${at(0.99)} s, the last after ${at(1)} s`,
    );
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
}
