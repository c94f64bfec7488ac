import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '#server/platform/clock.ts';

/** Runs with the real time, ahead by as much as a test has moved it. */
export class TestClock implements Clock {
  #aheadMs = 0;
  readonly #speed: number;
  readonly #start = Date.now();

  /** @param speed how many of its seconds go by in one real one */
  constructor(speed = 1) {
    this.#speed = speed;
  }

  now(): Date {
    return new Date(this.#start + (Date.now() - this.#start) * this.#speed + this.#aheadMs);
  }

  wait(milliseconds: number): Promise<void> {
    return sleep(milliseconds / this.#speed);
  }

  advance(by: { seconds?: number; minutes?: number; hours?: number; days?: number }): void {
    const { seconds = 0, minutes = 0, hours = 0, days = 0 } = by;
    this.#aheadMs += (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000;
  }
}
