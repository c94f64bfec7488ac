import type { BackgroundTask, Running } from './background-task.ts';
import type { Log } from './log.ts';
import type { Services } from './services.ts';

interface IntervalTask {
  name: string;
  /** From the end of a run to the next one. */
  everyMs: number;
  /** Run without waiting for the first interval. */
  immediately?: boolean;
  /** @param signal aborts when the run must end */
  run: (services: Services, signal: AbortSignal) => Promise<void>;
}

/** A task that each process repeats for itself. */
export function intervalTask({ name, everyMs, immediately = false, run }: IntervalTask): BackgroundTask {
  return {
    name,
    start: (services) =>
      startIntervalWorker(name, everyMs, services.log, (signal) => run(services, signal), { immediately }),
  };
}

/**
 * Repeats `run`, one run at a time; a failed run is logged, and does not stop the next.
 * @param everyMs from the end of a run to the next one
 * @param run must end soon after its signal aborts
 * @param options.immediately run without waiting for the first interval
 */
export function startIntervalWorker(
  name: string,
  everyMs: number,
  log: Log,
  run: (signal: AbortSignal) => Promise<void>,
  options: { immediately?: boolean } = {},
): Running {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let inHand: Promise<void> = Promise.resolve();

  async function runOnce(): Promise<void> {
    try {
      await run(stopping.signal);
    } catch (error) {
      log.warn({ err: error, worker: name }, 'a run of a background worker failed and will be tried again');
    }
    wait();
  }

  function wait(): void {
    if (stopping.signal.aborted) return;
    timer = setTimeout(() => {
      inHand = runOnce();
    }, everyMs);
    timer.unref();
  }

  if (options.immediately === true) inHand = runOnce();
  else wait();
  return {
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await inHand;
    },
  };
}
