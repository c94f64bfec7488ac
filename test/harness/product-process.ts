import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readPidFile } from '#server/platform/postgres/pid-file.ts';
import { isPostmasterOf } from '#server/platform/postgres/processes.ts';
import { childrenOf, kill } from './process-tree.ts';
import { freePort } from './ports.ts';

/** A busy machine takes its time; a product that ends instead is noticed at once. */
const START_MS = 90_000;
const ROOT = join(import.meta.dirname, '../..');

export interface ProductProcess {
  url: string;
  dataDir: string;
  /** Of the process that runs now. */
  pid(): number;
  /** What all its processes have written so far, and how those ended that were started again. */
  output(): string;
  /** How often it was started. */
  starts(): number;
  /** Owner's connection to the embedded database, or to the one of `DATABASE_URL`. */
  databaseUrl(): string;
  untilReady(timeoutMs?: number): Promise<void>;
  /** For a worker, which answers no calls. */
  untilAtWork(): Promise<void>;
  /** Resolves with the exit code when a process that is not kept alive has ended. */
  ended(): Promise<number | null>;
  /** Its serving processes, with `WEB_CONCURRENCY` above 1. */
  children(): number[];
  killServer(): void;
  /** The embedded PostgreSQL with all its backends, at once: what was not written is gone. */
  killDatabase(): void;
  /** Ends it in good order and removes its data. */
  stop(): Promise<void>;
}

export interface ProcessOptions {
  env?: Record<string, string>;
  /** Start it again at once whenever it dies. */
  keepAlive?: boolean;
  /** Of another version; default: this one. */
  root?: string;
  /** Program, from the root of the project. */
  entry?: string;
  /** Default: a free one. */
  port?: number;
  /** Kept by the caller; default: a fresh one, removed by `stop`. */
  dataDir?: string;
}

/** The product as people run it: a process of its own on a port of its own. */
export async function startProductProcess(options: ProcessOptions = {}): Promise<ProductProcess> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'sayso-process-'));
  const port = options.port ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;
  let output = '';
  let starts = 0;
  let stopping = false;
  let child = start();

  function start(): ChildProcess {
    starts += 1;
    const started = spawn(process.execPath, [options.entry ?? 'server/main.ts'], {
      cwd: options.root ?? ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'] ?? '',
        NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/sayso-compile'),
        NODE_ENV: 'test',
        PORT: String(port),
        DATA_DIR: dataDir,
        LOG_LEVEL: 'warn',
        ALLOW_PRIVATE_TARGETS: '1',
        ...options.env,
      },
    });
    for (const stream of [started.stdout, started.stderr]) {
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    }
    started.on('exit', (code, signal) => {
      if (options.keepAlive !== true || stopping) return;
      output += `(start ${starts} ended: ${signal ?? `exit code ${code}`})\n`;
      child = start();
    });
    return started;
  }

  async function untilReady(timeoutMs = START_MS): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    while (!(await isReady(url))) {
      if (Date.now() > deadline || (child.exitCode !== null && options.keepAlive !== true)) {
        throw new Error(`The product did not become ready:\n${output.slice(-4000)}`);
      }
      await sleep(50);
    }
  }

  return {
    url,
    dataDir,
    pid: () => child.pid ?? 0,
    output: () => output,
    starts: () => starts,
    databaseUrl: () => options.env?.['DATABASE_URL'] ?? embeddedUrl(dataDir),
    untilReady,
    async untilAtWork() {
      const deadline = Date.now() + START_MS;
      while (!output.includes('Sayso is running and sending deliveries')) {
        if (Date.now() > deadline || child.exitCode !== null)
          throw new Error(`The worker did not start:\n${output.slice(-4000)}`);
        await sleep(50);
      }
    },
    async ended() {
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      return child.exitCode;
    },
    children: () => childrenOf(child.pid ?? 0).filter((pid) => pid !== postmasterOf(dataDir)),
    killServer: () => kill(child.pid),
    killDatabase: () => killPostgres(dataDir),
    async stop() {
      stopping = true;
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      killPostgres(dataDir);
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2000) }).then(
    (answer) => answer.ok,
    () => false,
  );
}

/** Owner's connection to the embedded database of a product that runs. */
export function embeddedUrl(dataDir: string): string {
  const read = (name: string) => readFileSync(join(dataDir, 'postgres', name), 'utf8').trim();
  return `postgres://postgres:${read('password')}@127.0.0.1:${read('port')}/sayso`;
}

/** The number of the embedded PostgreSQL's postmaster, or null when none runs. */
export function postmasterOf(dataDir: string): number | null {
  const cluster = join(dataDir, 'postgres/cluster');
  const pid = readPidFile(join(cluster, 'postmaster.pid'))?.pid;
  return pid !== undefined && isPostmasterOf(pid, cluster) ? pid : null;
}

function killPostgres(dataDir: string): void {
  const postmaster = postmasterOf(dataDir);
  if (postmaster === null) return;
  const backends = childrenOf(postmaster);
  for (const pid of [postmaster, ...backends]) kill(pid);
}
