import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, expect, test } from 'vitest';
import { readPidFile } from './pid-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'sayso-pid-file-'));
const pidFile = join(folder, 'postmaster.pid');

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a pid file yields the process, the port and the status', () => {
  writeFileSync(pidFile, '4711\n/data\n1764000000\n5433\n\n127.0.0.1\n  1234  5\nready   \n');
  expect(readPidFile(pidFile)).toEqual({ pid: 4711, port: 5433, status: 'ready' });
});

test('a pid file that is being written yields no status', () => {
  writeFileSync(pidFile, '4711\n/data\n');
  expect(readPidFile(pidFile)).toMatchObject({ pid: 4711, status: '' });
});

test('a missing pid file yields nothing', () => {
  expect(readPidFile(join(folder, 'no.pid'))).toBeUndefined();
});

test('any other reason why a pid file cannot be read is reported', () => {
  expect(() => readPidFile(folder)).toThrow('EISDIR');
});

test('a pid file can be read while PostgreSQL removes a leftover one and writes its own', async () => {
  const replace = new Worker(
    `const { rmSync, writeFileSync } = require('node:fs');
     const { workerData } = require('node:worker_threads');
     for (;;) {
       rmSync(workerData, { force: true });
       writeFileSync(workerData, '4711\\n/data\\n1764000000\\n5433\\n\\n127.0.0.1\\n  1234  5\\nready   \\n');
     }`,
    { eval: true, workerData: pidFile },
  );
  const seen = new Set<number | undefined>();
  try {
    const until = Date.now() + 20_000;
    for (let reads = 0; reads < 20_000 || (seen.size < 3 && Date.now() < until); reads += 1) {
      seen.add(readPidFile(pidFile)?.pid);
    }
  } finally {
    await replace.terminate();
  }
  // Away, still empty, and whole.
  expect(seen).toEqual(new Set([undefined, 0, 4711]));
});
