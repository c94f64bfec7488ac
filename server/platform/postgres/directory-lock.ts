import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClusterError } from './cluster-error.ts';

export type DirectoryLock = { release: () => void };

// A process that was just stopped may still be finishing its work.
const patience = 4000;

const held = new Set<DatabaseSync>();

/**
 * Locks a directory for this process. Node has no file locks; SQLite's are those of the system, so they vanish with the
 * process, however it ends, and work between containers that share a volume.
 */
export async function lockDirectory(home: string, dataDir: string): Promise<DirectoryLock> {
  const lock = new DatabaseSync(join(home, 'lock'), { timeout: 0 });
  const owner = join(home, 'owner.pid');
  const deadline = Date.now() + patience;
  while (!take(lock)) {
    if (Date.now() > deadline) {
      lock.close();
      throw new ClusterError(
        `Another Sayso is already running on ${dataDir}${processIn(owner)}. ` +
          'Stop it first, or give this one its own DATA_DIR.',
      );
    }
    await sleep(50);
  }
  held.add(lock);
  writeFileSync(owner, `${process.pid}\n`);
  return {
    release() {
      if (held.delete(lock)) lock.close();
    },
  };
}

function take(lock: DatabaseSync): boolean {
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (error instanceof Error && error.message.includes('locked')) return false;
    lock.close();
    throw error;
  }
}

function processIn(owner: string): string {
  try {
    return ` (process ${readFileSync(owner, 'utf8').trim()})`;
  } catch {
    return '';
  }
}
