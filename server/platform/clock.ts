import { setTimeout as sleep } from 'node:timers/promises';

/** The only source of time for rules; tests inject their own. */
export interface Clock {
  now(): Date;
  wait(milliseconds: number): Promise<void>;
}

export const systemClock: Clock = { now: () => new Date(), wait: (milliseconds) => sleep(milliseconds) };
