/*
 * How busy this process is with each receiver. One that is slow, or gets very much, has some of the process's places and
 * never all of them: the others are not delayed.
 */

/** Of the places that deliveries have in a process. */
const PLACES_OF_ONE = 8;

/** How much a single delivery says about the next ones. */
const WEIGHT = 0.1;

interface Crowd {
  running: number;
  averageMs: number;
  averageCalls: number;
}

const crowds = new Map<string, Crowd>();

function crowdOf(receiver: string): Crowd {
  const known = crowds.get(receiver);
  if (known !== undefined) return known;
  const fresh = { running: 0, averageMs: 200, averageCalls: 2 };
  // What is known of receivers is an estimate: it may be forgotten.
  if (crowds.size > 10_000) {
    for (const [name, crowd] of crowds) if (crowd.running === 0) crowds.delete(name);
  }
  crowds.set(receiver, fresh);
  return fresh;
}

/** A place with a receiver, to be left again. */
export interface Place {
  /** @param calls that were made; null where calls are not counted */
  leave(ms: number, calls: number | null): void;
}

/** null: all places of this receiver are taken */
export function enter(receiver: string): Place | null {
  const crowd = crowdOf(receiver);
  if (crowd.running >= PLACES_OF_ONE) return null;
  crowd.running += 1;
  return {
    leave(ms, calls) {
      crowd.running -= 1;
      crowd.averageMs += (ms - crowd.averageMs) * WEIGHT;
      if (calls !== null) crowd.averageCalls += (calls - crowd.averageCalls) * WEIGHT;
    },
  };
}

/** @returns how far apart deliveries to it end, and how many calls one makes */
export function usualOf(receiver: string): { spacingMs: number; calls: number } {
  const { averageMs, averageCalls } = crowdOf(receiver);
  return { spacingMs: averageMs / PLACES_OF_ONE, calls: averageCalls };
}
