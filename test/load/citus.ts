import { stopProcess, cpuMsOf } from './processes.ts';
import { type Cluster, startCluster } from '#test/harness/cluster.ts';
import { createBenchDatabase } from './bench-site.ts';
import { load, median, type NextRequest } from './measure.ts';
import { reads, saves, type Served, serveProduct, startEndpoint } from './served.ts';

/*
 * `CITUS_PG_BIN=... npm run bench -- citus`: the same process on a cluster of one coordinator and two workers, and on a plain
 * database of the same PostgreSQL, in turns. Only the ratios of a round say something: one machine has all nodes.
 */

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 5);
const WARM_UP_SECONDS = 2;
const ROUNDS = 5;

interface Side {
  served: Served;
  cluster: Cluster;
  cases: { name: string; connections: number; next: NextRequest; rounds: Round[] }[];
}

/** Each with the CPU of a request, in ms. */
interface Round {
  perSecond: number;
  failed: number;
  node: number;
  coordinator: number;
  workers: number;
}

async function openSide(workers: number, hookUrl: string, stops: (() => Promise<void>)[]): Promise<Side> {
  const cluster = await startCluster({ workers, shards: 32, isDurable: true });
  stops.push(cluster.stop);
  const { url } = cluster.coordinator;
  // One that is made beside the cluster's own has no extension.
  const plain = await createBenchDatabase(url, 'plain');
  const database = workers === 0 ? plain : { ...plain, url };
  const served = await serveProduct('web', database, hookUrl);
  stops.push(() => stopProcess(served.process));
  const save = saves(served.site);
  const caseOf = (name: string, connections: number, next: NextRequest) => ({
    name: `${name}, ${connections} connections`,
    connections,
    next,
    rounds: [],
  });
  return {
    served,
    cluster,
    cases: [
      caseOf('customer preferences', 16, reads(served.site)),
      caseOf('save', 1, save),
      caseOf('save', 16, save),
      caseOf('save', 64, save),
    ],
  };
}

function cpuOf({ served, cluster }: Side): Pick<Round, 'node' | 'coordinator' | 'workers'> {
  return {
    node: cpuMsOf(served.process.pid ?? 0),
    coordinator: cpuMsOf(cluster.coordinator.pid()),
    workers: cluster.workers.reduce((sum, worker) => sum + cpuMsOf(worker.pid()), 0),
  };
}

async function measureRound(side: Side, { connections, next, rounds }: Side['cases'][number]): Promise<void> {
  const before = cpuOf(side);
  const { perSecond, failed, requests } = await load(side.served.base, next, connections, {
    seconds: SECONDS,
  });
  const after = cpuOf(side);
  const each = (of: keyof typeof before) => (after[of] - before[of]) / Math.max(1, requests);
  rounds.push({
    perSecond,
    failed,
    node: each('node'),
    coordinator: each('coordinator'),
    workers: each('workers'),
  });
}

function print(plain: Side, citus: Side): void {
  console.log(
    '\n| what | plain/s | Citus/s | ratio (range) | CPU ms, plain: Node + PostgreSQL | CPU ms, Citus: Node + coordinator + workers | failed |',
  );
  console.log('|---|---:|---:|---:|---:|---:|---:|');
  for (const [index, { name, rounds }] of plain.cases.entries()) {
    const there = citus.cases[index]?.rounds ?? [];
    const middle = (of: Round[], field: keyof Round) => median(of.map((round) => round[field]));
    const ratios = there.map(({ perSecond }, round) => perSecond / (rounds[round]?.perSecond ?? 1));
    const range = `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}-${Math.max(...ratios).toFixed(2)})`;
    const cpu = (of: Round[], fields: (keyof Round)[]) =>
      fields.map((field) => middle(of, field).toFixed(2)).join(' + ');
    const failed = [...rounds, ...there].reduce((sum, round) => sum + round.failed, 0);
    console.log(
      `| ${name} | ${middle(rounds, 'perSecond').toFixed(0)} | ${middle(there, 'perSecond').toFixed(0)} | ${range} | ` +
        `${cpu(rounds, ['node', 'coordinator'])} | ${cpu(there, ['node', 'coordinator', 'workers'])} | ${failed} |`,
    );
  }
}

export async function benchCitus(): Promise<void> {
  const endpoint = await startEndpoint();
  const stops: (() => Promise<void>)[] = [];
  try {
    const plain = await openSide(0, endpoint.url, stops);
    const citus = await openSide(2, endpoint.url, stops);
    const pairs = plain.cases.map((one, index) => [one, citus.cases[index] ?? one] as const);
    for (const [here, there] of pairs) {
      await load(plain.served.base, here.next, here.connections, { seconds: WARM_UP_SECONDS });
      await load(citus.served.base, there.next, there.connections, { seconds: WARM_UP_SECONDS });
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [here, there] of pairs) {
        await measureRound(plain, here);
        await measureRound(citus, there);
      }
    }
    print(plain, citus);
  } finally {
    for (const stop of stops.toReversed()) await stop();
    endpoint.close();
  }
}
