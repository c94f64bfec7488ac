import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ClusterError } from './cluster-error.ts';

export type Claim = { release: () => void };

const held = new Set<DatabaseSync>();

/**
 * Takes a directory for this process alone. Node has no file locks of its own; SQLite's are the system's,
 * so they vanish with the process, however it ends, and hold between containers that share a volume.
 */
export function claimDirectory(home: string, dataDir: string): Claim {
  const lock = new DatabaseSync(join(home, 'lock'), { timeout: 250 });
  const owner = join(home, 'owner.pid');
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!(error instanceof Error && error.message.includes('locked'))) throw error;
    throw new ClusterError(
      `Another Sayso is already running on ${dataDir}${processIn(owner)}. ` +
        'Stop it first, or give this one its own DATA_DIR.',
    );
  }
  held.add(lock);
  writeFileSync(owner, `${process.pid}\n`);
  return {
    release() {
      if (held.delete(lock)) lock.close();
    },
  };
}

function processIn(owner: string): string {
  try {
    return ` (process ${readFileSync(owner, 'utf8').trim()})`;
  } catch {
    return '';
  }
}
