import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Binaries } from './binaries.ts';
import { withClient, type Target } from './connection.ts';
import { cleanEnvironment } from './environment.ts';
import type { ClusterPaths } from './paths.ts';
import { disownPidFile, readPidFile } from './pid-file.ts';
import { isAlive, isPostmasterOf, terminate } from './processes.ts';
import type { RunAs } from './run-as.ts';

export type Postmaster = { pid: number; port: number; gone: Promise<void> };

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '128MB',
  // Fewer checkpoints and smaller page images: every save writes to a dozen indexes.
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  wal_compression: 'pglz',
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  password_encryption: 'scram-sha-256',
  client_connection_check_interval: '1s',
  random_page_cost: '1.1',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Failed statements are not logged: they may contain personal data, and the product logs its own errors.
  log_min_messages: 'log',
  log_checkpoints: 'off',
};

/** Of PostgreSQL, by name. */
export type Settings = Readonly<Record<string, string>>;

const longestRecovery = 600_000;
const longestSilence = 5_000;
const largestLog = 5_000_000;

export async function startPostmaster(
  paths: ClusterPaths,
  { postgres }: Binaries,
  runAs: RunAs,
  port: number,
  otherSettings: Settings,
): Promise<Postmaster> {
  const { cluster, pidFile, log } = paths;
  disownPidFile(paths);
  const file = openSync(log, existsSync(log) && statSync(log).size > largestLog ? 'w' : 'a', 0o600);
  const begin = statSync(log).size;
  const options = Object.entries({ ...settings, ...otherSettings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const [command, args] = runAs.wrap(postgres, ['-D', cluster, '-p', String(port), ...options]);
  // Detached, so that Ctrl-C reaches only the product, which stops PostgreSQL after its last statement.
  const child = spawn(command, args, {
    ...runAs.options,
    cwd: '/',
    detached: true,
    env: cleanEnvironment(),
    stdio: ['ignore', file, file],
    windowsHide: true,
  });
  closeSync(file);
  child.unref();
  let running = true;
  const gone = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  void gone.then(() => (running = false));
  await once(child, 'spawn');

  const deadline = Date.now() + longestRecovery;
  const isReady = () => {
    const now = readPidFile(pidFile);
    return now?.pid === child.pid && now?.status === 'ready';
  };
  while (!isReady()) {
    if (!running) throw new Error(lastLines(log, begin));
    if (Date.now() > deadline) throw new Error('PostgreSQL did not become ready.');
    await sleep(15);
  }
  return { pid: child.pid ?? 0, port, gone };
}

function lastLines(log: string, begin: number): string {
  return readFileSync(log).subarray(begin).toString().trim().split('\n').slice(-8).join('\n');
}

/** Adopts the PostgreSQL that a killed Sayso left behind; terminates one that does not respond. */
export async function adoptPostmaster(
  { cluster, pidFile }: ClusterPaths,
  password: string,
): Promise<Postmaster | undefined> {
  const left = readPidFile(pidFile);
  if (!left) return undefined;
  if (!isAlive(left.pid) || !isPostmasterOf(left.pid, cluster)) return undefined;
  let silentSince = Date.now();
  while (isAlive(left.pid) && Date.now() - silentSince < longestSilence) {
    const answer = await ask({ port: readPidFile(pidFile)?.port ?? left.port, password });
    if (answer === 'yes') return { pid: left.pid, port: left.port, gone: poll(left.pid) };
    if (answer === 'soon') silentSince = Date.now();
    await sleep(50);
  }
  if (isAlive(left.pid)) await terminate(left.pid, 1000, 2000);
  return undefined;
}

const cannotConnectNow = '57P03';

async function ask(target: Target): Promise<'yes' | 'soon' | 'no'> {
  try {
    await withClient(target, (client) => client.query('SELECT 1'));
    return 'yes';
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === cannotConnectNow ? 'soon' : 'no';
  }
}

async function poll(pid: number): Promise<void> {
  while (isAlive(pid)) await sleep(200, undefined, { ref: false });
}
