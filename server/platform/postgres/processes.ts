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

// Where nobody reaps orphans (as in many containers), a dead postmaster stays in the process table as a zombie.
function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}

/** Whether the process is the postmaster of this cluster, and not one that reuses its pid. */
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
    // Already gone, which is what every caller wants.
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

/** A fast shutdown, then harder ones if it hangs; none of them loses committed work. */
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
