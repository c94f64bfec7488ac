import { accessSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPidFile } from '#server/platform/postgres/pid-file.ts';
import { isAlive, isPostmasterOf, terminate } from '#server/platform/postgres/processes.ts';

const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 4 * 1024 ** 3;
const OF_RUN = /^sayso-test-(\d+)-/;

/**
 * Creates a folder for a database that ends with the run: in memory, where there is enough of it. Each test file makes
 * and drops a database of hundreds of files, which costs most on a disk. What killed runs left there is removed first.
 */
export async function makeQuickFolder(): Promise<string> {
  const parent = quickParent();
  for (const name of readdirSync(parent)) {
    const [, run] = OF_RUN.exec(name) ?? [];
    if (run !== undefined && !isAlive(Number(run))) await removeRun(join(parent, name));
  }
  return mkdtempSync(join(parent, `sayso-test-${process.pid}-`));
}

function quickParent(): string {
  try {
    accessSync(MEMORY, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return Math.min(bavail * bsize, process.availableMemory()) >= ENOUGH_BYTES ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

async function removeRun(folder: string): Promise<void> {
  const cluster = join(folder, 'postgres/cluster');
  const pid = readPidFile(join(cluster, 'postmaster.pid'))?.pid;
  if (pid !== undefined && isPostmasterOf(pid, cluster)) await terminate(pid, 5000);
  rmSync(folder, { recursive: true, force: true });
}
