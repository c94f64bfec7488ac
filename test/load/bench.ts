import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { createLog } from '#server/platform/log.ts';
import { startEmbeddedPostgres } from '#server/platform/postgres/embedded.ts';
import { BENCH_SETTINGS, createBenchDatabase, openOwnerPool } from './bench-site.ts';
import { benchCitus } from './citus.ts';
import type { DeliveryFigures } from './deliveries.ts';
import type { FairnessFigures } from './fairness.ts';
import { benchScreens } from './first-visits.ts';
import { benchGrowth } from './growth.ts';
import { benchManySites } from './many-sites.ts';
import { inTurns, load, type Measured, median, type NextRequest } from './measure.ts';
import { cpuMsOf, memoryOf, runPart, startProcess, stopProcess } from './processes.ts';
import { freePort } from '#test/harness/ports.ts';
import { PEOPLE, reads, saves, type Served, serveProduct, startEndpoint } from './served.ts';

/*
 * `npm run bench`: the product and two baselines of the same stack, in the same run on the same machine. Ratios are what
 * to look at; absolute figures depend on the machine. `BENCH_JSON=file` writes them as JSON, `BENCH_ONLY=name` measures
 * only what has that in its name, `BENCH_SECONDS` is the time for each case (default 8). `npm run bench -- screens` measures
 * the screens of the owner app instead, `npm run bench -- citus` a Citus cluster beside plain PostgreSQL.
 *
 * Two processes of the product are measured, each on a database of its own: one that only serves (`ROLE=web`), and one
 * that delivers what it saves.
 */

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 8);
const WARM_UP_SECONDS = 2;
const ROUNDS = 3;
/** After so many, the memory is looked at. */
const REQUESTS_BEFORE_MEMORY = 10_000;

interface Case {
  name: string;
  /** In the JSON. */
  key?: string;
  url: string;
  connections: number;
  next: NextRequest;
  /** The name of the case that it is compared with. */
  against?: string;
  target?: number;
  /** Before each round. */
  prepare?: () => Promise<unknown>;
  served?: Served;
  measured: Measured[];
  cpuMs: { node: number; postgres: number };
}

const SELECT = 'baseline: one SELECT';
const SETTINGS = 'public settings';
const TRANSACTION_16 = 'baseline: upsert + insert, 16 connections';
const TRANSACTION_64 = 'baseline: upsert + insert, 64 connections';

function baselineSaves(): NextRequest {
  const number = inTurns(Array.from({ length: 5000 }, (_, index) => index + 1));
  return () => ({
    method: 'PUT',
    path: `/save/${number()}`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ value: 'y'.repeat(400) }),
  });
}

/** Everyone is subscribed again, so that leaving changes something. */
async function resubscribeEveryone({ database }: Served): Promise<void> {
  const owner = openOwnerPool(database);
  await owner.query('update customers set global_unsubscribe = false, paused_until = null');
  await owner.query('vacuum analyze customers');
  await owner.end();
}

function casesOf(baseline: string, web: Served, all: Served): Case[] {
  const { site } = web;
  const host = `${site.host}:${new URL(web.base).port}`;
  const number = inTurns(Array.from({ length: 5000 }, (_, index) => index + 1));
  const visitor = inTurns(site.people);
  // They have chosen nothing today: after a choice of the same day, a one-click also sends an email.
  const leaver = inTurns(site.people.slice(PEOPLE / 2));
  const webSaves = saves(site);
  const allSaves = saves(all.site);
  const measured = () => ({ measured: [], cpuMs: { node: 0, postgres: 0 } });
  const saveCase = (connections: 16 | 64, served: Served, key: string, target: number): Case => ({
    name: `${served === web ? 'save alone' : 'save while delivering'}, ${connections} connections`,
    key: `${key}_${connections}`,
    url: served.base,
    connections,
    next: served === web ? webSaves : allSaves,
    against: connections === 16 ? TRANSACTION_16 : TRANSACTION_64,
    target,
    served,
    ...measured(),
  });
  return [
    {
      name: SELECT,
      url: baseline,
      connections: 16,
      next: () => ({ path: `/select/${number()}` }),
      ...measured(),
    },
    {
      name: SETTINGS,
      key: 'settings',
      url: web.base,
      connections: 16,
      next: () => ({
        path: `/api/customer/v1/preferences/${site.customPath}`,
        headers: { 'x-site-domain': site.host },
      }),
      against: SELECT,
      ...measured(),
    },
    {
      name: 'customer preferences',
      key: 'reads',
      url: web.base,
      connections: 16,
      next: reads(site),
      against: SELECT,
      target: 0.85,
      ...measured(),
    },
    {
      name: 'page HTML, first visit',
      key: 'page_html',
      url: web.base,
      connections: 16,
      next: () => ({ path: `/${site.customPath}`, headers: { host } }),
      against: SETTINGS,
      target: 0.55,
      ...measured(),
    },
    {
      name: 'page HTML, personal link',
      key: 'page_html_personal',
      url: web.base,
      connections: 16,
      next: () => ({ path: `/${site.customPath}?challenge=${visitor().challenge}`, headers: { host } }),
      against: SETTINGS,
      target: 0.5,
      ...measured(),
    },
    { name: TRANSACTION_16, url: baseline, connections: 16, next: baselineSaves(), ...measured() },
    { name: TRANSACTION_64, url: baseline, connections: 64, next: baselineSaves(), ...measured() },
    saveCase(16, web, 'save_alone', 0.65),
    saveCase(64, web, 'save_alone', 0.9),
    saveCase(16, all, 'save_delivering', 0.45),
    saveCase(64, all, 'save_delivering', 0.6),
    {
      name: 'one-click that changes something',
      key: 'one_click',
      url: web.base,
      connections: 16,
      next: () => ({
        method: 'POST',
        path: leaver().oneClickPath,
        headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
        body: 'List-Unsubscribe=One-Click',
      }),
      against: TRANSACTION_16,
      target: 0.65,
      prepare: () => resubscribeEveryone(web),
      served: web,
      ...measured(),
    },
  ];
}

async function measureRound(one: Case, postmaster: number, seconds: number): Promise<void> {
  await one.prepare?.();
  const cpuOf = () => ({
    node: one.served === undefined ? 0 : cpuMsOf(one.served.process.pid ?? 0),
    postgres: cpuMsOf(postmaster),
  });
  const before = cpuOf();
  const measured = await load(one.url, one.next, one.connections, { seconds });
  const after = cpuOf();
  one.measured.push(measured);
  one.cpuMs.node += after.node - before.node;
  one.cpuMs.postgres += after.postgres - before.postgres;
}

/** Waits until nothing more arrives. */
async function drain(arrived: () => number): Promise<void> {
  for (let before = -1; arrived() !== before;) {
    before = arrived();
    await new Promise((resolve) => setTimeout(resolve, 1500));
  }
}

function rateOf(one: Case | undefined): number {
  return median(one?.measured.map(({ perSecond }) => perSecond) ?? []);
}

/** Of each round, because what else the machine does hits all cases of a round alike. */
function ratiosOf(one: Case, cases: readonly Case[]): number[] {
  const against = cases.find(({ name }) => name === one.against);
  if (against === undefined) return [];
  return one.measured.map(({ perSecond }, round) => perSecond / (against.measured[round]?.perSecond ?? 1));
}

const fixed = (value: number, digits = 2) => value.toFixed(digits);

function printCases(cases: readonly Case[]): void {
  const cpu = cpus();
  console.log(
    `\n${cpu.length} x ${cpu[0]?.model ?? 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}, median of ${ROUNDS} rounds\n`,
  );
  console.log(
    '| what | requests/s | p50 ms | p99 ms | ratio (range) | target | CPU ms, Node + PostgreSQL | failed |',
  );
  console.log('|---|---:|---:|---:|---:|---:|---:|---:|');
  for (const one of cases) {
    const ratios = ratiosOf(one, cases);
    const ratio =
      ratios.length === 0
        ? ''
        : `${fixed(median(ratios))} (${fixed(Math.min(...ratios))}-${fixed(Math.max(...ratios))})`;
    const p50 = median(one.measured.map((round) => round.p50));
    const p99 = median(one.measured.map((round) => round.p99));
    const requests = one.measured.reduce((sum, round) => sum + round.requests, 0);
    const cpuEach =
      one.served === undefined || requests === 0
        ? ''
        : `${fixed(one.cpuMs.node / requests)} + ${fixed(one.cpuMs.postgres / requests)}`;
    const failed = one.measured.reduce((sum, round) => sum + round.failed, 0);
    console.log(
      `| ${one.name} | ${Math.round(rateOf(one))} | ${p50} | ${p99} | ${ratio} | ${one.target ?? ''} | ${cpuEach} | ${failed} |`,
    );
  }
}

interface Figures {
  [key: string]: number | null;
}

async function measureRequests(): Promise<Figures> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sayso-bench-'));
  const embedded = await startEmbeddedPostgres({ dataDir, log: createLog(BENCH_SETTINGS.LOG_LEVEL) });
  const endpoint = await startEndpoint();
  const running: ChildProcess[] = [];
  try {
    const web = await serveProduct('web', await createBenchDatabase(embedded.url, 'bench_web'), endpoint.url);
    running.push(web.process);
    const all = await serveProduct('all', await createBenchDatabase(embedded.url, 'bench_all'), endpoint.url);
    running.push(all.process);
    const baselinePort = await freePort();
    const baselineEnv = { PORT: String(baselinePort), BASELINE_URL: embedded.url };
    running.push(await startProcess('test/load/baseline.ts', baselineEnv, /baseline ready/));
    const every = casesOf(`http://127.0.0.1:${baselinePort}`, web, all);
    const only = process.env['BENCH_ONLY'];
    const cases = every.filter(
      ({ name }) => only === undefined || name.includes(only) || name.startsWith('baseline'),
    );
    const postmaster = Number(
      readFileSync(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0],
    );
    for (const one of cases) {
      await one.prepare?.();
      await load(one.url, one.next, one.connections, { seconds: WARM_UP_SECONDS });
    }
    let saved = 0;
    let delivered = 0;
    let deliveringSeconds = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const one of cases) {
        const isDelivering = one.served === all;
        // What the case before has left to deliver is not measured with this one.
        await drain(endpoint.arrived);
        const before = endpoint.arrived();
        const began = performance.now();
        await measureRound(one, postmaster, SECONDS / ROUNDS);
        if (!isDelivering) continue;
        saved += one.measured.at(-1)?.requests ?? 0;
        delivered += endpoint.arrived() - before;
        deliveringSeconds += (performance.now() - began) / 1000;
      }
    }
    printCases(cases);
    if (saved > 0) {
      console.log(
        `\nWhile it saved ${Math.round(saved / deliveringSeconds)} a second, it delivered ${Math.round(delivered / deliveringSeconds)} a second.`,
      );
    }
    for (const next of [
      cases.find(({ key }) => key === 'reads'),
      cases.find(({ served }) => served === all),
    ]) {
      if (next !== undefined)
        await load(all.base, requestsOf(next, all), 16, { requests: REQUESTS_BEFORE_MEMORY });
    }
    const memory = memoryOf(all.process.pid ?? 0);
    console.log(
      `Memory of the process that serves and delivers, after ${2 * REQUESTS_BEFORE_MEMORY} more requests: ${memory ?? 'unknown'} MB (target: at most 250)`,
    );
    const ratios = cases.flatMap((one) =>
      one.key === undefined ? [] : [[one.key, Number(fixed(median(ratiosOf(one, cases)), 3))] as const],
    );
    return { ...Object.fromEntries(ratios), memory_mb: memory };
  } finally {
    for (const child of running.toReversed()) await stopProcess(child);
    endpoint.close();
    await embedded.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** The reads of a case, asked of the process that also delivers; its saves as they are. */
function requestsOf({ key, next }: Case, all: Served): NextRequest {
  return key === 'reads' ? reads(all.site) : next;
}

async function main(): Promise<void> {
  if (process.argv[2] === 'screens') return benchScreens();
  if (process.argv[2] === 'citus') return benchCitus();
  if (process.argv[2] === 'sites') return benchManySites(process.argv.slice(3));
  if (process.argv[2] === 'growth') return benchGrowth(process.argv.slice(3));
  const requests = await measureRequests();
  const deliveries = await runPart<DeliveryFigures>('test/load/deliveries.ts');
  const fairness = await runPart<FairnessFigures>('test/load/fairness.ts');
  const file = process.env['BENCH_JSON'];
  if (file === undefined) return;
  writeFileSync(file, `${JSON.stringify({ ...requests, ...deliveries, ...fairness }, null, 2)}\n`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
