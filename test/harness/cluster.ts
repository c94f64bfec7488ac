import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  accessSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { cleanEnvironment } from '#server/platform/postgres/environment.ts';
import { readPidFile } from '#server/platform/postgres/pid-file.ts';
import { chooseRunAs } from '#server/platform/postgres/run-as.ts';
import { inDatabase } from './nodes.ts';
import { freePort } from './ports.ts';
import { childrenOf, kill } from './process-tree.ts';

/** The database of every cluster. */
const DATABASE = 'sayso';
const START_MS = 60_000;

/** One PostgreSQL with Citus, in a folder of its own. */
export interface ClusterNode {
  port: number;
  /** Superuser's connection, to the node itself. */
  url: string;
  /** What it wrote to its log. */
  log(): string;
  /** The postmaster's number; 0 while it is dead. */
  pid(): number;
  /** Starts it, also after it was killed. */
  start(): Promise<void>;
  /** With all its backends, at once: what was not written is gone. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export interface Cluster {
  coordinator: ClusterNode;
  workers: ClusterNode[];
  /** One more node, with the database, that the coordinator does not know yet. */
  makeNode(): Promise<ClusterNode>;
  /** Ends all of it and removes its folders. */
  stop(): Promise<void>;
}

export interface ClusterOptions {
  workers: number;
  shards: number;
  /** Does a node keep what it has committed when it is killed? Costs time where each test has a database of its own. */
  isDurable: boolean;
  /** Where the coordinator reaches a worker; default: at its own port. */
  portOf?: (worker: ClusterNode) => Promise<number>;
}

/** The `bin` folder of a PostgreSQL that Citus is installed in. @throws if `CITUS_PG_BIN` names none */
function citusBinaries(): string {
  const bin = process.env['CITUS_PG_BIN'] ?? '';
  const libraries = ['../lib/citus.so', '../lib/postgresql/citus.so'].map((file) => join(bin, file));
  if (bin !== '' && existsSync(join(bin, 'initdb')) && libraries.some((file) => existsSync(file))) return bin;
  throw new Error(
    'CITUS_PG_BIN: set it to the bin folder of a PostgreSQL 15 or later that Citus is installed in (CONTRIBUTING.md says how to build one).',
  );
}

const ENOUGH_MEMORY = 4 * 2 ** 30;

/** In memory where there are 4 GB of it: each test file makes and drops a database of thousands of files on each node. */
function makeFolder(): string {
  let base = '/tmp';
  try {
    accessSync('/dev/shm', constants.W_OK);
    const { bavail, bsize } = statfsSync('/dev/shm');
    if (bavail * bsize > ENOUGH_MEMORY) base = '/dev/shm';
  } catch {
    // A system without it.
  }
  return mkdtempSync(join(base, 'sayso-citus-'));
}

function settingsOf({ shards, isDurable }: ClusterOptions): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 300,
    shared_preload_libraries: 'citus',
    'citus.shard_count': shards,
    'citus.local_hostname': '127.0.0.1',
    'citus.node_conninfo': 'sslmode=disable',
    'citus.enable_statistics_collection': 'off',
    'citus.recover_2pc_interval': '5s',
    max_prepared_transactions: 300,
    max_worker_processes: 100,
    wal_level: 'logical',
    max_locks_per_transaction: 512,
    timezone: 'UTC',
    // A killed process loses nothing that it gave to the system; only a machine would.
    fsync: 'off',
    full_page_writes: 'off',
    synchronous_commit: isDurable ? 'on' : 'off',
    max_wal_size: '256MB',
    autovacuum: 'off',
    jit: 'off',
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Starts a throw-away Citus cluster whose nodes ask for passwords. Its owner stops it. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const bin = citusBinaries();
  const folder = makeFolder();
  const runAs = chooseRunAs({ postgres: join(bin, 'postgres'), initdb: join(bin, 'initdb') }, '/tmp');
  const password = randomBytes(16).toString('hex');
  // Nodes reach each other only as this superuser. Sayso's own role has a password of its own, as on a real cluster.
  const passwordFile = join(folder, 'password');
  const passFile = join(folder, 'pgpass');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  writeFileSync(passFile, `127.0.0.1:*:*:postgres:${password}\n`, { mode: 0o600 });
  if (runAs.owner !== undefined)
    for (const path of [folder, passwordFile, passFile]) chownSync(path, runAs.owner.uid, runAs.owner.gid);
  const settings = settingsOf(options);
  const nodes: ClusterNode[] = [];

  async function makeNode(): Promise<ClusterNode> {
    const data = join(folder, `node${nodes.length}`);
    const port = await freePort();
    const how = { ...runAs.options, cwd: folder, env: { ...cleanEnvironment(), PGPASSFILE: passFile } };
    const [initdb, initdbArgs] = runAs.wrap(join(bin, 'initdb'), [
      ...['-D', data, '-U', 'postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'],
      ...['--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'],
    ]);
    const made = spawnSync(initdb, initdbArgs, { ...how, encoding: 'utf8' });
    if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
    const [postgres, postgresArgs] = runAs.wrap(join(bin, 'postgres'), [
      ...['-D', data, '-p', String(port)],
      ...settings,
    ]);
    const node = nodeOf({
      port,
      url: `postgres://postgres:${password}@127.0.0.1:${port}/${DATABASE}`,
      data,
      spawnIt: (log) => spawn(postgres, postgresArgs, { ...how, stdio: ['ignore', log, log] }),
    });
    nodes.push(node);
    await node.start();
    await queryOn(inDatabase(node.url, 'postgres'), `create database ${DATABASE}`);
    await queryOn(node.url, 'create extension citus');
    return node;
  }

  async function stop(): Promise<void> {
    await Promise.all(nodes.map((node) => node.stop()));
    rmSync(folder, { recursive: true, force: true });
  }

  try {
    const coordinator = await makeNode();
    const workers: ClusterNode[] = [];
    await queryOn(coordinator.url, 'select citus_set_coordinator_host($1, $2)', [
      '127.0.0.1',
      coordinator.port,
    ]);
    for (let count = 0; count < options.workers; count += 1) {
      const worker = await makeNode();
      const port = (await options.portOf?.(worker)) ?? worker.port;
      await queryOn(coordinator.url, 'select citus_add_node($1, $2)', ['127.0.0.1', port]);
      workers.push(worker);
    }
    return { coordinator, workers, makeNode, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface NodeParts {
  port: number;
  url: string;
  data: string;
  spawnIt: (log: number) => ChildProcess;
}

/** The one place that knows how a node is started and ended. */
function nodeOf({ port, url, data, spawnIt }: NodeParts): ClusterNode {
  const logFile = `${data}.log`;
  let child: ChildProcess | null = null;
  const log = () => readFileSync(logFile, 'utf8');
  const isGone = (one: ChildProcess) => one.exitCode !== null || one.signalCode !== null;

  async function end(signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
    const ending = child;
    child = null;
    if (ending === null || isGone(ending)) return;
    const backends = childrenOf(ending.pid ?? 0);
    const gone = once(ending, 'exit');
    ending.kill(signal);
    if (signal === 'SIGKILL') for (const pid of backends) kill(pid);
    await gone;
    // A new postmaster refuses to start beside what an old one has left.
    while (backends.some((pid) => existsSync(`/proc/${pid}/stat`))) await sleep(20);
  }

  return {
    port,
    url,
    log,
    pid: () => child?.pid ?? 0,
    async start() {
      const file = openSync(logFile, 'a');
      const started = spawnIt(file);
      closeSync(file);
      child = started;
      const deadline = Date.now() + START_MS;
      while (!isReady(data, started.pid ?? 0)) {
        if (isGone(started) || Date.now() > deadline)
          throw new Error(`A node did not start: ${log().slice(-3000)}`);
        await sleep(50);
      }
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGINT'),
  };
}

/** What its own file says, which may be of the one before. */
function isReady(data: string, pid: number): boolean {
  const file = readPidFile(join(data, 'postmaster.pid'));
  return file?.pid === pid && file.status === 'ready';
}

/** One statement on a connection of its own. */
export async function queryOn<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}
