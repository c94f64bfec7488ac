import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { readConfig } from '#server/platform/config.ts';
import { withSecretKeys } from '#server/platform/secrets.ts';
import { makeSmallDisk } from '#test/harness/small-disk.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded.ts';
import { isAlive } from './processes.ts';

const quiet = { info: () => {}, warn: () => {} };
const isRoot = process.getuid?.() === 0;
const cleanups: (() => Promise<void> | void)[] = [];

vi.setConfig({ testTimeout: 90_000 });

let model: string;

beforeAll(async () => {
  model = mkdtempSync(join(tmpdir(), 'sayso-embedded-'));
  const { stop } = await startEmbeddedPostgres({ dataDir: model, log: quiet });
  await stop();
});

afterAll(() => rmSync(model, { recursive: true, force: true }));

afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean();
});

function emptyDataDir(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'sayso-embedded-'));
  cleanups.push(() => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
}

/** One that already had its first start: making a database takes a second of a busy disk. */
function usedDataDir(): string {
  const dataDir = emptyDataDir();
  cpSync(model, dataDir, { recursive: true });
  return dataDir;
}

async function start(dataDir: string): Promise<EmbeddedPostgres> {
  const started = await startEmbeddedPostgres({ dataDir, log: quiet });
  cleanups.push(() => started.stop());
  return started;
}

async function query<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

const pidFileOf = (dataDir: string) => join(dataDir, 'postgres/cluster/postmaster.pid');
const postmasterOf = (dataDir: string) => Number(readFileSync(pidFileOf(dataDir), 'utf8').split('\n')[0]);

/** Another Node process starts PostgreSQL and is killed before it can say goodbye. */
async function startAndKillNode(dataDir: string): Promise<void> {
  const module = JSON.stringify(new URL('embedded.ts', import.meta.url).href);
  const script = `
    const { startEmbeddedPostgres } = await import(${module});
    const log = { info() {}, warn() {} };
    await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, log });
    console.log('started');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), exited]);
  child.kill('SIGKILL');
  await exited;
}

test('the embedded PostgreSQL initializes once, keeps its data and its port, and starts in under a second later', async () => {
  const dataDir = emptyDataDir();
  const first = await start(dataDir);
  await query(first.url, 'CREATE TABLE kept AS SELECT 7 AS n');
  await first.stop();

  const began = performance.now();
  const second = await start(dataDir);
  expect(performance.now() - began).toBeLessThan(1000);
  expect(second).toMatchObject({ url: first.url, adopted: false });
  expect(await query(second.url, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
});

test('the embedded PostgreSQL is durable, checks its pages, and requires the password', async () => {
  const dataDir = usedDataDir();
  const { url } = await start(dataDir);
  const names = ['data_checksums', 'synchronous_commit', 'fsync', 'full_page_writes'];
  const rows = await query(url, `SELECT setting FROM pg_settings WHERE name IN ('${names.join("','")}')`);
  expect(rows).toEqual(names.map(() => ({ setting: 'on' })));
  expect(await query(url, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }]);
  expect(await query(url, "SELECT current_database() AS db, lower('É') AS letter")).toEqual([
    { db: 'sayso', letter: 'é' },
  ]);
  expect(statSync(join(dataDir, 'postgres/password')).mode & 0o777).toBe(0o600);
  await expect(query(url.replace(/:[^:@]+@/, ':guess@'), 'SELECT 1')).rejects.toThrow(
    'password authentication failed',
  );
});

test('a start adopts the PostgreSQL that a killed process left behind', async () => {
  const dataDir = usedDataDir();
  await startAndKillNode(dataDir);
  const orphan = postmasterOf(dataDir);

  const { url, adopted, stop } = await start(dataDir);
  expect(adopted).toBe(true);
  expect(postmasterOf(dataDir)).toBe(orphan);
  expect(await query(url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);

  await stop();
  expect(isAlive(orphan)).toBe(false);
});

test('a start ends an orphan that does not answer and starts over', async () => {
  const dataDir = usedDataDir();
  await startAndKillNode(dataDir);
  const orphan = postmasterOf(dataDir);
  process.kill(orphan, 'SIGSTOP');

  const { url, adopted } = await start(dataDir);
  expect(adopted).toBe(false);
  expect(postmasterOf(dataDir)).not.toBe(orphan);
  expect(await query(url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
});

test('a start is not misled by a leftover pid file whose number now belongs to another process', async () => {
  const dataDir = usedDataDir();
  const first = await start(dataDir);
  const lines = readFileSync(pidFileOf(dataDir), 'utf8').split('\n').slice(1);
  await first.stop();
  const bystander = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  cleanups.push(() => void bystander.kill());
  writeFileSync(pidFileOf(dataDir), [bystander.pid, ...lines].join('\n'));

  const second = await start(dataDir);
  expect(await query(second.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
  expect(bystander.exitCode).toBeNull();
});

test('a second product on the same directory is refused, and the first is left alone', async () => {
  const dataDir = usedDataDir();
  const first = await start(dataDir);
  await expect(start(dataDir)).rejects.toThrow(
    `Another Sayso is already running on ${dataDir} (process ${process.pid}).`,
  );
  expect(await query(first.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
});

test('a killed PostgreSQL is brought back, also when it was adopted', async () => {
  const dataDir = usedDataDir();
  await startAndKillNode(dataDir);
  const { url, adopted } = await start(dataDir);
  expect(adopted).toBe(true);
  await query(url, 'CREATE TABLE kept AS SELECT 7 AS n');

  for (const _round of [1, 2]) {
    const before = postmasterOf(dataDir);
    process.kill(before, 'SIGKILL');
    await eventually(async () => {
      expect(postmasterOf(dataDir)).not.toBe(before);
      expect(await query(url, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
    });
  }
});

test('an interrupted first start is started over', async () => {
  const dataDir = emptyDataDir();
  mkdirSync(join(dataDir, 'postgres/cluster.new'), { recursive: true });
  writeFileSync(join(dataDir, 'postgres/cluster.new/PG_VERSION'), '18\n');

  const { url } = await start(dataDir);
  expect(await query(url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
});

test('a start moves to another port when the last one is taken', async () => {
  const dataDir = usedDataDir();
  const first = await start(dataDir);
  await first.stop();
  const squatter = createServer().listen(Number(new URL(first.url).port), '127.0.0.1');
  await once(squatter, 'listening');
  cleanups.push(() => void squatter.close());

  const second = await start(dataDir);
  expect(second.url).not.toBe(first.url);
  expect(await query(second.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
});

test.runIf(isRoot)(
  'the embedded PostgreSQL works for root in a private directory and in a public one, and in turns',
  async () => {
    const dataDir = usedDataDir();
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    const hidden = await start(dataDir);
    await query(hidden.url, 'CREATE TABLE kept AS SELECT 7 AS n');
    await hidden.stop();

    for (const mode of [0o711, 0o700]) {
      chmodSync(dataDir, mode);
      const { url, stop } = await start(dataDir);
      expect(await query(url, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
      await stop();
    }
  },
);

test.runIf(isRoot)('a start on a read-only disk says so, however deep its data folder is', async () => {
  const disk = makeSmallDisk(1);
  cleanups.push(() => disk.remove());
  disk.makeReadOnly();
  for (const dataDir of [disk.path, join(disk.path, 'a/b')]) {
    const refused = await start(dataDir).catch((error: unknown) => error);
    expect(String(refused)).toContain('is on a read-only disk. Set DATA_DIR to a writable directory.');
    expect(() => withSecretKeys(readConfig({ DATA_DIR: join(dataDir, 'c') }))).toThrow('EROFS');
  }
});

test('a start without the password names the missing file', async () => {
  const dataDir = usedDataDir();
  const first = await start(dataDir);
  await first.stop();
  rmSync(join(dataDir, 'postgres/password'));
  await expect(start(dataDir)).rejects.toThrow(`The file ${join(dataDir, 'postgres/password')} is missing`);
});
