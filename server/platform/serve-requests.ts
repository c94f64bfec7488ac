import { writeFileSync } from 'node:fs';
import os from 'node:os';

interface Most<Answer> {
  memoryBytes: number;
  /** CPU time for a request rather than elapsed time, so that a busy machine rejects no file. */
  workMs: number;
  tooSlow: Answer;
  /** It answers more than one. */
  isKept?: boolean;
}

/** Makes this process the first that the kernel kills when memory runs out. */
export function lowerPriority(): void {
  try {
    os.setPriority(5);
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Not supported on this system; its limits remain.
  }
}

// A graceful exit would wait for a decoder.
const end = () => process.kill(process.pid, 'SIGKILL');

const LOOK_EVERY_MS = 20;

/** Ends this process once it takes more memory. */
export function limitMemory(bytes: number): void {
  setInterval(() => {
    if (process.memoryUsage.rss() > bytes) end();
  }, LOOK_EVERY_MS).unref();
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** What a process of `inOwnProcess` does: it answers requests within its limits. */
export function serveRequests<Answer>(
  work: (request: never) => Promise<Answer>,
  { memoryBytes, workMs, tooSlow, isKept = false }: Most<Answer>,
): void {
  let before = 0;
  lowerPriority();
  limitMemory(memoryBytes);
  setInterval(() => {
    if (cpuMs() - before > workMs) process.send?.(tooSlow, end);
  }, LOOK_EVERY_MS).unref();
  process.once('disconnect', end);
  process.on('message', (request) => {
    if (isKept) before = cpuMs();
    void work(request as never).then((answer) => {
      process.send?.(answer, () => {
        if (!isKept) end();
      });
    });
  });
}
