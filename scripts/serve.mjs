import { spawn } from 'node:child_process';
import { inRoot, pinnedNode, root } from './project.mjs';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Starts a program of the product with the pinned Node and resolves with its exit code. */
export function launch(args, env = {}) {
  const child = spawn(pinnedNode, args, {
    cwd: root,
    env: { NODE_COMPILE_CACHE: inRoot('node_modules/.cache/sayso-compile'), ...process.env, ...env },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  const exited = new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(signal ? exitCodeOf(signal) : code));
  });
  return { child, exited };
}

const exitCodeOf = (signal) => 128 + ({ SIGINT: 2, SIGKILL: 9, SIGSEGV: 11, SIGTERM: 15 }[signal] ?? 0);

/** Hands every request to stop on to the child, once. The terminal itself already tells it of Ctrl-C. */
export function passSignalsOn(stop) {
  let asked = false;
  const ask = (signal) => {
    if (asked) return;
    asked = true;
    if (!(signal === 'SIGINT' && process.stdin.isTTY)) stop('SIGTERM');
  };
  for (const signal of signals) process.on(signal, ask);
  // A killed npm leaves its script behind; the product must not go on without it.
  if (process.env.npm_lifecycle_event && process.platform !== 'win32') {
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && ask('SIGTERM'), 1000).unref();
  }
}

export async function serve(args, env) {
  const { child, exited } = launch(args, env);
  passSignalsOn((signal) => child.kill(signal));
  return exited;
}
