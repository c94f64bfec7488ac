import { readdirSync, readFileSync } from 'node:fs';

/** Ends a process at once, if there is one of that number. */
export function kill(pid: number | undefined): void {
  try {
    if (pid !== undefined && pid > 0) process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}

/** The numbers of the processes that a process has started itself. */
export function childrenOf(parent: number): number[] {
  const numbers = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return numbers.map(Number).filter((pid) => {
    try {
      return /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] === String(parent);
    } catch {
      return false;
    }
  });
}
