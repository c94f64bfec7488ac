import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { inRoot, pinnedNode, root, say } from './project.mjs';

/**
 * Starts a program of the product with the pinned Node; `exited` resolves with its exit code.
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
export function launch(args, env = {}) {
  const child = spawn(pinnedNode, args, {
    cwd: root,
    env: { NODE_COMPILE_CACHE: inRoot('node_modules/.cache/sayso-compile'), ...process.env, ...env },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  /** @type {Promise<number>} */
  const exited = new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(signal ? exitCodeOf(signal) : (code ?? 1)));
  });
  return { child, exited };
}

const exitCodeOf = (/** @type {NodeJS.Signals} */ signal) => 128 + constants.signals[signal];

/** @param {number} pid */
function processOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [, name, parent] = /\((.*)\) \S (\d+)/s.exec(stat) ?? [];
    return { name, parent: Number(parent) };
  } catch {
    return { name: '', parent: 0 };
  }
}

/**
 * The processes between this one and npm, which runs its scripts in a shell of their own or not. Who started
 * npm is none of our business: a shell that put it in the background may be gone.
 */
function pathToNpm() {
  const parent = processOf(process.ppid);
  return parent.name?.startsWith('npm') ? `${process.ppid}` : `${process.ppid} ${parent.parent}`;
}

/**
 * Hands the first request to stop on to the child. The terminal itself already tells it of Ctrl-C.
 * @param {(signal: NodeJS.Signals) => void} stop
 */
export function passSignalsOn(stop) {
  let asked = false;
  const ask = (/** @type {NodeJS.Signals} */ signal) => {
    if (asked) return;
    asked = true;
    if (!(signal === 'SIGINT' && process.stdin.isTTY)) stop('SIGTERM');
  };
  process.on('SIGINT', ask);
  process.on('SIGTERM', ask);
  // An npm that is told to stop, or killed, leaves its script behind; the product must not go on without it.
  if (process.env.npm_lifecycle_event && process.platform !== 'win32') {
    const before = pathToNpm();
    setInterval(() => pathToNpm() !== before && ask('SIGTERM'), 250).unref();
  }
}

/**
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
export async function serve(args, env) {
  const { child, exited } = launch(args, env);
  passSignalsOn((signal) => child.kill(signal));
  return exited;
}

/** Each death waits twice as long for its restart, until one start has lasted. */
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;
const LASTS_AFTER_MS = 60_000;

/**
 * Serves, and starts the server again whenever it dies. One that never said that it is ready has said why, and would say it again.
 * @param {string[]} args
 * @returns {Promise<number>} the exit code of the start that ended it
 */
export async function supervise(args) {
  const stopping = new AbortController();
  /** @type {ReturnType<typeof launch>['child'] | undefined} */
  let child;
  passSignalsOn((signal) => {
    stopping.abort();
    child?.kill(signal);
  });
  for (let waitMs = 0; ;) {
    let readyAt = Infinity;
    const started = launch(args);
    child = started.child;
    child.on('message', (message) => {
      if (message === 'ready') readyAt = performance.now();
    });
    const code = await started.exited;
    if (stopping.signal.aborted || code === 0 || readyAt === Infinity) return code;
    if (performance.now() - readyAt > LASTS_AFTER_MS) waitMs = 0;
    const when = waitMs === 0 ? 'now' : `in ${waitMs / 1000} s`;
    say(`The server ended unexpectedly (exit code ${code}) and is started again ${when}.`);
    await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => {});
    if (stopping.signal.aborted) return code;
    waitMs = Math.min(LONGEST_WAIT_MS, Math.max(FIRST_WAIT_MS, waitMs * 2));
  }
}
