import { type ChildProcess, fork } from 'node:child_process';

/** How much a process of its own may take, and what its answer is if it takes more or dies. */
export interface OwnProcess<Answer> {
  /** The module that it runs: one that calls `serveRequests`. */
  module: string;
  heapMb: number;
  /** Its own limit of CPU time comes first, except on a busy machine. */
  deadlineMs: number;
  /** How long it waits for another request; 0: it answers one. */
  keptMs: number;
  tooSlow: Answer;
  died: Answer;
}

/** Those that wait for another request. */
const kept = new Map<string, Set<ChildProcess>>();

function start({ module, heapMb }: OwnProcess<unknown>): ChildProcess {
  return fork(module, [], {
    env: {},
    execArgv: [`--max-old-space-size=${heapMb}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

/** Takes one that waits, so that it gets no other request meanwhile. */
function take(own: OwnProcess<unknown>): ChildProcess {
  const waiting = kept.get(own.module);
  for (const child of waiting ?? []) {
    waiting?.delete(child);
    if (!child.connected || child.exitCode !== null) continue;
    child.ref();
    child.channel?.ref();
    return child;
  }
  return start(own);
}

function keep(child: ChildProcess, { module, keptMs }: OwnProcess<unknown>): void {
  const waiting = kept.get(module) ?? new Set();
  kept.set(module, waiting.add(child));
  child.unref();
  child.channel?.unref();
  setTimeout(() => {
    if (waiting.delete(child)) child.kill('SIGKILL');
  }, keptMs).unref();
}

/**
 * Readers of files are a classic attack surface, and a file can keep one busy for minutes: so it is read by a process that
 * has no settings and no keys of the server, and is killed after its time limit.
 */
export function inOwnProcess<Answer>(own: OwnProcess<Answer>, request: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const child = take(own);
    let answer = own.died;
    const deadline = setTimeout(() => {
      answer = own.tooSlow;
      child.kill('SIGKILL');
    }, own.deadlineMs);
    const done = () => {
      clearTimeout(deadline);
      child.removeAllListeners();
      resolve(answer);
    };
    child.on('message', (message) => {
      answer = message as Answer;
      if (own.keptMs === 0) return;
      done();
      keep(child, own);
    });
    child.on('error', (error) => {
      clearTimeout(deadline);
      reject(error);
    });
    child.on('exit', done);
    child.send(request, () => {
      // It may have died before reading its input: `exit` handles that.
    });
  });
}
