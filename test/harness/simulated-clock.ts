import { TestClock } from './clock.ts';

interface Waiting {
  at: number;
  go: () => void;
}

/**
 * A time that stands still while anybody works, and jumps to the next thing that is waited for when nobody does: hours of
 * waiting take as long as the work in them.
 */
export class SimulatedClock extends TestClock {
  #now: number;
  #working = 0;
  #waiting: Waiting[] = [];

  constructor(start = new Date()) {
    super();
    this.#now = start.getTime();
  }

  override now(): Date {
    return new Date(this.#now);
  }

  override advance({ seconds = 0, minutes = 0, hours = 0, days = 0 }): void {
    this.#now += (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000;
  }

  /** Time stands still until this is done or waits. */
  async work<T>(work: () => Promise<T>): Promise<T> {
    this.#working += 1;
    try {
      return await work();
    } finally {
      this.#rest();
    }
  }

  /** Only of what runs within `work`. */
  override async wait(milliseconds: number): Promise<void> {
    const at = this.#now + Math.max(0, milliseconds);
    await new Promise<void>((go) => {
      this.#waiting.push({ at, go });
      this.#rest();
    });
  }

  /** Waits for work of others, which may wait for the time. Only of what runs within `work`. */
  async until<T>(others: Promise<T>): Promise<T> {
    this.#rest();
    try {
      return await others;
    } finally {
      this.#working += 1;
    }
  }

  #rest(): void {
    this.#working -= 1;
    // Code that awaits this work runs before time moves on.
    setImmediate(() => this.#goOn());
  }

  #goOn(): void {
    if (this.#working > 0) return;
    const at = Math.min(...this.#waiting.map((one) => one.at));
    if (!Number.isFinite(at)) return;
    this.#now = Math.max(this.#now, at);
    const due = this.#waiting.filter((one) => one.at <= this.#now);
    this.#waiting = this.#waiting.filter((one) => one.at > this.#now);
    this.#working += due.length;
    for (const one of due) one.go();
  }
}
