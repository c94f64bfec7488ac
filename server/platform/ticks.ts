import type { Log } from './log.ts';

export interface Ticks {
  /** Tells the round in hand, and waits for it. */
  stop(): Promise<void>;
}

/**
 * Does something again and again, one round at a time; a round that fails is logged and the next one comes.
 * @param everyMs between the end of a round and the next one
 * @param options.atOnce begin without waiting for the first one
 * @param round is told by its signal to come to an end
 */
export function startTicks(
  name: string,
  everyMs: number,
  log: Log,
  round: (signal: AbortSignal) => Promise<void>,
  options: { atOnce?: boolean } = {},
): Ticks {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let inHand: Promise<void> = Promise.resolve();

  async function run(): Promise<void> {
    try {
      await round(stopping.signal);
    } catch (error) {
      log.warn({ err: error, round: name }, 'a round of work failed and will be tried again');
    }
    wait();
  }

  function wait(): void {
    if (stopping.signal.aborted) return;
    timer = setTimeout(() => {
      inHand = run();
    }, everyMs);
    timer.unref();
  }

  if (options.atOnce === true) inHand = run();
  else wait();
  return {
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await inHand;
    },
  };
}
