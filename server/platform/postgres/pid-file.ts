import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { ClusterPaths } from './paths.ts';

/** What PostgreSQL writes into `postmaster.pid`: line 1 is its process, line 4 its port, line 8 its status. */
export type PidFile = { pid: number; port: number; status: string };

/**
 * Reads it in one step: PostgreSQL removes a leftover file before it writes its own, at any moment of our wait.
 * @returns undefined if there is none
 * @throws an error of the file system other than `ENOENT`
 */
export function readPidFile(pidFile: string): PidFile | undefined {
  let text: string;
  try {
    text = readFileSync(pidFile, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  const lines = text.split('\n');
  return { pid: Number(lines[0]), port: Number(lines[3]), status: lines[7]?.trim() ?? '' };
}

/**
 * The number in a leftover file may belong to another process by now, and PostgreSQL would then refuse to start. It
 * looks through its parent's number; the rest of the file has to stay, it guards against surviving backends.
 */
export function disownPidFile({ pidFile }: ClusterPaths): void {
  if (!existsSync(pidFile)) return;
  const [, ...rest] = readFileSync(pidFile, 'utf8').split('\n');
  writeFileSync(pidFile, [process.pid, ...rest].join('\n'));
}
