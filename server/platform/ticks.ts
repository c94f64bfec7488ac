import type { Log } from './log.ts';

export interface Ticks {
  /** Waits for the round in hand. */
  stop(): Promise<void>;
}

/**
 * Does something again and again, one round at a time; a round that fails is logged and the next one comes.
 * @param every milliseconds between the end of a round and the next one
 */
export function startTicks(name: string, every: number, log: Log, round: () => Promise<void>): Ticks {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let inHand: Promise<void> = Promise.resolve();

  async function run(): Promise<void> {
    try {
      await round();
    } catch (error) {
      log.warn({ err: error, round: name }, 'a round of work failed and will be tried again');
    }
    wait();
  }

  function wait(): void {
    if (stopped) return;
    timer = setTimeout(() => {
      inHand = run();
    }, every);
    timer.unref();
  }

  wait();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await inHand;
    },
  };
}
