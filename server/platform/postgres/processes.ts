import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  return !isZombie(pid);
}

// Where nobody collects orphans (many containers), a dead postmaster stays in the process table for good.
function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}

/** Whether the process is the postmaster of this cluster and not one that got the same number since. */
export function isPostmasterOf(pid: number, cluster: string): boolean {
  try {
    if (process.platform === 'win32') return true;
    if (process.platform !== 'linux') {
      return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).includes(
        cluster,
      );
    }
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return (
      command.includes('postgres') &&
      (command.includes(cluster) || readlinkSync(`/proc/${pid}/cwd`) === cluster)
    );
  } catch {
    return false;
  }
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It is gone already, which is what every caller wants.
  }
}

export async function waitUntilGone(pid: number, milliseconds: number): Promise<boolean> {
  const deadline = Date.now() + milliseconds;
  while (isAlive(pid)) {
    if (Date.now() > deadline) return false;
    await sleep(20);
  }
  return true;
}

/** A fast shutdown, and harder ones when that one hangs: after each of them no committed work is missing. */
export async function terminate(pid: number, patience: number, lastPatience = 10_000): Promise<void> {
  const steps: [NodeJS.Signals, number][] = [
    ['SIGINT', patience],
    ['SIGQUIT', lastPatience],
    ['SIGKILL', 10_000],
  ];
  for (const [name, milliseconds] of steps) {
    signal(pid, name);
    if (await waitUntilGone(pid, milliseconds)) return;
  }
}
