import type { Page } from 'playwright-core';

export interface StoppedClock {
  /** Resolves when the page has set a timer of exactly this length since the last call. */
  untilWaitsFor(ms: number): Promise<void>;
  /** Lets the window's time go on by this much, timers included. */
  pass(ms: number): Promise<void>;
}

declare global {
  interface Window {
    /** Of the timers that were set since the last look, in a window whose clock is stopped. */
    timerLengths?: (number | undefined)[];
  }
}

/** Stops the clock of a window that has no document yet: there time passes only by `pass`, and no real second does. */
export async function stopClockOf(page: Page): Promise<StoppedClock> {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 1000);
  await page.addInitScript(() => {
    const set = window.setTimeout;
    const lengths: (number | undefined)[] = [];
    window.timerLengths = lengths;
    window.setTimeout = ((callback: () => void, ms?: number) => {
      lengths.push(ms);
      return set(callback, ms);
    }) as typeof window.setTimeout;
  });
  return {
    async untilWaitsFor(ms) {
      await page.waitForFunction((wanted) => {
        const { timerLengths } = window;
        if (timerLengths?.includes(wanted) !== true) return false;
        timerLengths.length = 0;
        return true;
      }, ms);
    },
    pass: (ms) => page.clock.runFor(ms),
  };
}
