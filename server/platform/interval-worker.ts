import type { BackgroundTask, Running } from './background-task.ts';
import type { Log } from './log.ts';
import type { Services } from './services.ts';

interface IntervalTask {
  name: string;
  /** Between the end of a run and the next one. */
  everyMs: number;
  /** Run without waiting for the first interval. */
  immediately?: boolean;
  /** @param signal aborts when the run has to come to an end */
  run: (services: Services, signal: AbortSignal) => Promise<void>;
}

/** A task that each process runs for itself, again and again. */
export function intervalTask({ name, everyMs, immediately = false, run }: IntervalTask): BackgroundTask {
  return {
    name,
    start: (services) =>
      startIntervalWorker(name, everyMs, services.log, (signal) => run(services, signal), { immediately }),
  };
}

/**
 * Runs something again and again, one run at a time; a run that fails is logged, and the next one comes.
 * @param everyMs between the end of a run and the next one
 * @param run is told by its signal to come to an end
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
