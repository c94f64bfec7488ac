import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { serverFlags } from '../../scripts/project.mjs';

function spawnScript(script: string, env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [...serverFlags, script], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
}

/** Starts a process and waits until it says that it is ready. */
export function startProcess(
  script: string,
  env: Record<string, string>,
  ready: RegExp,
): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    const child = spawnScript(script, env);
    child.stdout?.on('data', (chunk: Buffer) => ready.test(chunk.toString()) && resolve(child));
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}`)));
  });
}

export async function stopProcess(child: ChildProcess): Promise<void> {
  child.removeAllListeners('exit');
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

/** Runs a part of the bench in a process that has nothing else to do. @returns what it sends to its parent */
export async function runPart<Result>(script: string): Promise<Result> {
  const child = spawnScript(script, {});
  child.stdout?.pipe(process.stdout);
  return new Promise((resolve, reject) => {
    let result: Result | undefined;
    child.on('message', (message) => (result = message as Result));
    child.once('exit', (code) => {
      if (code === 0 && result !== undefined) resolve(result);
      else reject(new Error(`${script} ended with ${code}`));
    });
  });
}

/** Of a process, in MB; null on a system that does not tell. */
export function memoryOf(pid: number): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  } catch {
    return null;
  }
}

const TICKS_PER_SECOND = 100;

/** Fields of /proc/PID/stat after the name, which may hold spaces. */
function statOf(pid: string): { parent: number; ownTicks: number; childTicks: number } {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = (index: number) => Number(fields[index] ?? 0);
  return { parent: ticks(1), ownTicks: ticks(11) + ticks(12), childTicks: ticks(13) + ticks(14) };
}

/** undefined for a process that has ended meanwhile, and on a system that does not tell. */
function readStat(pid: string): ReturnType<typeof statOf> | undefined {
  try {
    return statOf(pid);
  } catch {
    return undefined;
  }
}

function processIds(): string[] {
  return existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
}

/** CPU that a process and its children have used, in ms; 0 on a system that does not tell. */
export function cpuMsOf(pid: number): number {
  let ticks = 0;
  for (const id of processIds()) {
    const stat = readStat(id);
    if (stat === undefined) continue;
    if (Number(id) === pid) ticks += stat.ownTicks + stat.childTicks;
    else if (stat.parent === pid) ticks += stat.ownTicks;
  }
  return (ticks * 1000) / TICKS_PER_SECOND;
}
