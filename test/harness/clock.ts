import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '#server/platform/clock.ts';

/** Runs with the real time, ahead by as much as a test has moved it. Waiting takes no time: it moves the clock. */
export class TestClock implements Clock {
  #aheadMs = 0;
  #stoppedAtMs: number | null = null;

  now(): Date {
    return new Date((this.#stoppedAtMs ?? Date.now()) + this.#aheadMs);
  }

  /** From now on only a test moves it: how long the product takes changes nothing. @returns lets it run with real time again */
  stop(): () => void {
    this.#stoppedAtMs = Date.now();
    return () => {
      this.#stoppedAtMs = null;
    };
  }

  async wait(milliseconds: number): Promise<void> {
    this.#aheadMs += milliseconds;
    await nextTurn();
  }

  advance(by: { seconds?: number; minutes?: number; hours?: number; days?: number }): void {
    const { seconds = 0, minutes = 0, hours = 0, days = 0 } = by;
    this.#aheadMs += (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000;
  }
}
