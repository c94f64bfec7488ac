import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createNetServer } from 'node:net';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { signUp, updateAccount } from '#contract/accounts.ts';
import { createAction } from '#contract/actions.ts';
import { callRoute } from '#contract/client.ts';
import { createCustomer, mintLinks } from '#contract/customers.ts';
import { createList } from '#contract/lists.ts';
import { createOrganization } from '#contract/organizations.ts';
import { createPreferencePage } from '#contract/preference-pages.ts';
import { openCustomer } from '#contract/public-preferences.ts';
import type { Route, RouteCall } from '#contract/route.ts';
import { createSite } from '#contract/sites.ts';
import { serverFlags } from '../../scripts/project.mjs';

/*
 * `npm run bench`: the product on its embedded default and two baselines of the same stack, in the same run on
 * the same machine. Ratios are what to look at; absolute figures depend on the machine.
 */

const CONNECTIONS = 16;
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 8);
const WARM_UP_SECONDS = 2;
const CUSTOMERS = 400;
const ROUNDS = 3;

interface Measured {
  perSecond: number;
  p50: number;
  p99: number;
  failed: number;
}

type Next = () => Partial<autocannon.Request>;

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createNetServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

function start(script: string, env: Record<string, string>, ready: RegExp): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...serverFlags, script], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child.stdout.on('data', (chunk: Buffer) => ready.test(chunk.toString()) && resolve(child));
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}`)));
  });
}

async function stop(child: ChildProcess): Promise<void> {
  child.removeAllListeners('exit');
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

async function load(url: string, next: Next, seconds: number): Promise<Measured> {
  const result = await autocannon({
    url,
    connections: CONNECTIONS,
    duration: seconds,
    requests: [{ setupRequest: (request) => ({ ...request, ...next() }) }],
  });
  return {
    perSecond: result.requests.average,
    p50: result.latency.p50,
    p99: result.latency.p99,
    failed: result.non2xx + result.errors,
  };
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function every<T>(items: readonly T[]): () => T {
  let index = 0;
  return () => {
    const item = items[index % items.length] as T;
    index += 1;
    return item;
  };
}

async function main(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sayso-bench-'));
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(204).end());
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const port = await freePort();
  const product = await start(
    'server/main.ts',
    {
      PORT: String(port),
      APP_URL: `http://localhost:${port}`,
      DATA_DIR: dataDir,
      LOG_LEVEL: 'error',
      ALLOW_PRIVATE_TARGETS: '1',
    },
    /ready/,
  );
  const base = `http://127.0.0.1:${port}`;
  const baselinePort = await freePort();
  const baseline = await start(
    'test/load/baseline.ts',
    { PORT: String(baselinePort), BASELINE_URL: baselineUrl(dataDir) },
    /baseline ready/,
  );
  try {
    const world = await buildWorld(base, `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`);
    await compare(base, `http://127.0.0.1:${baselinePort}`, world, product.pid ?? 0);
  } finally {
    await stop(baseline);
    await stop(product);
    receiver.closeAllConnections();
    receiver.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** The embedded server's own connection, so that both sides use the same database. */
function baselineUrl(dataDir: string): string {
  const kept = (name: string) => readFileSync(join(dataDir, 'postgres', name), 'utf8').trim();
  return `postgres://postgres:${kept('password')}@127.0.0.1:${kept('port')}/sayso`;
}

interface BenchWorld {
  host: string;
  customPath: string;
  lists: string[];
  /** Sealed ids and one-click paths of the customers. */
  customers: { sealed: string; oneClickPath: string; preferencePath: string }[];
}

async function buildWorld(base: string, hookUrl: string): Promise<BenchWorld> {
  let token = '';
  const call = <R extends Route>(route: R, parts: RouteCall<R>, headers: Record<string, string> = {}) =>
    callRoute(route, parts, {
      base,
      headers: { ...headers, ...(token === '' ? {} : { authorization: `Bearer ${token}` }) },
    });
  const account = await call(signUp, {
    body: { username: 'bench', email: 'bench@example.com', password: 'correct horse' },
  });
  token = account.access_token;
  const organization = await call(createOrganization, { body: { name: 'Bench' } });
  await call(updateAccount, { params: { id: account.id }, body: { organization: organization.id } });
  const site = await call(createSite, {
    params: { organization_id: organization.id },
    body: { domain_name: 'bench', name: 'Bench' },
  });
  const params = { organization_id: organization.id, site_id: site.id };
  const lists: string[] = [];
  for (const name of ['Weekly news', 'Offers', 'Events', 'Product updates']) {
    lists.push((await call(createList, { params, body: { name, description: `About ${name}` } })).id);
  }
  const page = await call(createPreferencePage, {
    params,
    body: {
      name: 'Bench',
      custom_path: 'preferences',
      allow_customer_create: true,
      lists: lists.map((id) => ({ id })),
    },
  });
  for (const event of ['subscribed', 'unsubscribed'] as const) {
    await call(createAction, {
      params,
      body: { type: 'webhook', name: event, trigger: { event }, target: { url: hookUrl } },
    });
  }
  const host = site.domain_name;
  const customers: BenchWorld['customers'] = [];
  for (let count = 0; count < CUSTOMERS; count += 1) {
    const customer = await call(createCustomer, { params, body: { email: `person${count}@example.com` } });
    const links = await call(mintLinks, { params: { ...params, id: customer.id }, body: {} });
    const opened = await call(
      openCustomer,
      { body: { challenge: links.challenge, custom_path: page.custom_path } },
      { 'x-site-domain': host },
    );
    customers.push({
      sealed: opened.id,
      oneClickPath: new URL(links.one_click_url).pathname,
      preferencePath: `/preferences?challenge=${links.challenge}`,
    });
  }
  return { host, customPath: page.custom_path, lists, customers };
}

/** Each save changes exactly one list of one customer, so that exactly one of the two actions matches. */
function saves(world: BenchWorld): Next {
  const [list = ''] = world.lists;
  const customer = every(
    world.customers.map((one) => ({ path: `/api/customer/v1/customers/${one.sealed}/lists`, on: false })),
  );
  return () => {
    const next = customer();
    next.on = !next.on;
    return {
      method: 'PUT',
      path: next.path,
      headers: { 'content-type': 'application/json', 'x-site-domain': world.host },
      body: JSON.stringify([{ notification_list_id: list, subscribed: next.on }]),
    };
  };
}

interface Row {
  name: string;
  measured: Measured[];
  against: string | null;
  aim: number | null;
}

async function compare(
  base: string,
  baselineBase: string,
  world: BenchWorld,
  productPid: number,
): Promise<void> {
  const site = `${world.host}:${new URL(base).port}`;
  const number = every(Array.from({ length: 5000 }, (_, index) => index + 1));
  const reader = every(world.customers);
  const leaver = every(world.customers);
  const visitor = every(world.customers);
  const cases: { row: Row; url: string; next: Next }[] = [
    {
      row: { name: 'baseline: one SELECT', measured: [], against: null, aim: null },
      url: baselineBase,
      next: () => ({ path: `/select/${number()}` }),
    },
    {
      row: { name: 'public settings', measured: [], against: 'baseline: one SELECT', aim: 0.8 },
      url: base,
      next: () => ({
        path: `/api/customer/v1/preferences/${world.customPath}`,
        headers: { 'x-site-domain': world.host },
      }),
    },
    {
      row: { name: 'customer preferences', measured: [], against: 'baseline: one SELECT', aim: 0.8 },
      url: base,
      next: () => ({
        path: `/api/customer/v2/customers/${reader().sealed}/preferences/${world.customPath}`,
        headers: { 'x-site-domain': world.host },
      }),
    },
    {
      row: { name: 'page HTML, first visit', measured: [], against: 'public settings', aim: 0.5 },
      url: base,
      next: () => ({ path: `/${world.customPath}`, headers: { host: site } }),
    },
    {
      row: { name: 'page HTML, personal link', measured: [], against: 'public settings', aim: null },
      url: base,
      next: () => ({ path: visitor().preferencePath, headers: { host: site } }),
    },
    {
      row: { name: 'baseline: upsert + insert', measured: [], against: null, aim: null },
      url: baselineBase,
      next: () => ({
        method: 'PUT',
        path: `/save/${number()}`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ value: 'y'.repeat(400) }),
      }),
    },
    {
      row: { name: 'save + evidence + action', measured: [], against: 'baseline: upsert + insert', aim: 0.6 },
      url: base,
      next: saves(world),
    },
    {
      row: { name: 'one-click', measured: [], against: 'baseline: upsert + insert', aim: 0.6 },
      url: base,
      next: () => ({
        method: 'POST',
        path: leaver().oneClickPath,
        headers: { host: site, 'content-type': 'application/x-www-form-urlencoded' },
        body: 'List-Unsubscribe=One-Click',
      }),
    },
  ];
  const only = process.env['BENCH_ONLY'];
  const chosen =
    only === undefined
      ? cases
      : cases.filter(({ row }) => row.name.includes(only) || row.name.startsWith('baseline'));
  for (const { url, next } of chosen) await load(url, next, WARM_UP_SECONDS);
  // Interleaved rounds: what else the machine does hits all of them alike.
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { row, url, next } of chosen) row.measured.push(await load(url, next, SECONDS / ROUNDS));
  }
  print(
    chosen.map(({ row }) => row),
    memoryOf(productPid),
  );
}

function memoryOf(pid: number): string {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return `${Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)} MB`;
  } catch {
    return 'not known on this system';
  }
}

function print(rows: Row[], memory: string): void {
  const rate = (row: Row | undefined) => median(row?.measured.map((one) => one.perSecond) ?? []);
  console.log(
    `\n${cpus().length} x ${cpus()[0]?.model ?? 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}, ${CONNECTIONS} connections, median of ${ROUNDS} rounds\n`,
  );
  console.log('| what | requests/s | p50 ms | p99 ms | ratio | aim | failed |');
  console.log('|---|---:|---:|---:|---:|---:|---:|');
  for (const row of rows) {
    const against = rows.find((other) => other.name === row.against);
    const ratio = against === undefined ? '' : (rate(row) / rate(against)).toFixed(2);
    const p50 = median(row.measured.map((one) => one.p50));
    const p99 = median(row.measured.map((one) => one.p99));
    const failed = row.measured.reduce((sum, one) => sum + one.failed, 0);
    console.log(
      `| ${row.name} | ${Math.round(rate(row))} | ${p50} | ${p99} | ${ratio} | ${row.aim ?? ''} | ${failed} |`,
    );
  }
  console.log(`\nMemory of the one process that serves and delivers, after the load: ${memory}`);
}

/** In a process of its own, which has nothing else to do. */
async function deliveries(): Promise<void> {
  const child = spawn(process.execPath, [...serverFlags, 'test/load/deliveries.ts'], { stdio: 'inherit' });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`The deliveries ended with ${String(code)}`);
}

async function everything(): Promise<void> {
  await main();
  await deliveries();
}

everything().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
