/*
 * Shares out the places of a process: to sites in turn, and within a site to receivers in turn. A site with a thousand
 * deliveries for a receiver that hangs has its own share of places, and never those of others.
 */

export interface Limits {
  /** Under way at the same time. */
  total: number;
  ofSite: number;
  ofReceiver: number;
  /** In memory, under way or waiting for a place. */
  held: number;
  heldOfSite: number;
  waitingOfReceiver: number;
}

export const LIMITS: Limits = {
  total: 96,
  ofSite: 32,
  ofReceiver: 12,
  held: 1024,
  heldOfSite: 256,
  waitingOfReceiver: 64,
};

/** So many in a row without an answer, and a receiver is tried with one call at a time until it answers. */
const FAILURES_BEFORE_HALF_OPEN = 3;

export interface Task {
  siteId: string;
  /** A host, or a connected tool. */
  receiver: string;
}

interface Receiver<T> {
  waiting: T[];
  running: number;
}

interface Site<T> {
  /** In the order of their turns. */
  receivers: Map<string, Receiver<T>>;
  running: number;
  held: number;
}

export interface Dispatcher<T extends Task> {
  add(task: T): void;
  /** How many more of a site may be added. */
  room(siteId: string): number;
  /** Receivers of a site that have enough waiting. */
  crowded(siteId: string): string[];
  /** Everything that is held, for the renewal of leases. */
  held(): Iterable<T>;
  /** Nothing new begins; resolves when what is under way has ended, or after so long. */
  stop(withinMs: number): Promise<void>;
}

/** @param run says whether the receiver answered; never throws */
export function createDispatcher<T extends Task>(
  run: (task: T) => Promise<'answered' | 'silent' | 'not_called'>,
  onRoom: (siteId: string) => void,
  limits: Limits = LIMITS,
): Dispatcher<T> {
  const sites = new Map<string, Site<T>>();
  const silences = new Map<string, number>();
  const all = new Set<T>();
  let running = 0;
  let isStopped = false;

  const keyOf = ({ siteId, receiver }: Task) => `${siteId} ${receiver}`;

  function placesOf(siteId: string, receiver: string): number {
    const silent = silences.get(keyOf({ siteId, receiver })) ?? 0;
    return silent >= FAILURES_BEFORE_HALF_OPEN ? 1 : limits.ofReceiver;
  }

  /** The next task of a site, from the receiver whose turn it is. */
  function takeFrom(siteId: string, site: Site<T>): T | undefined {
    for (const [name, receiver] of site.receivers) {
      if (receiver.waiting.length === 0 || receiver.running >= placesOf(siteId, name)) continue;
      receiver.running += 1;
      // Its turn is over: the others come before it again.
      site.receivers.delete(name);
      site.receivers.set(name, receiver);
      return receiver.waiting.shift();
    }
    return undefined;
  }

  function next(): T | undefined {
    for (const [siteId, site] of sites) {
      if (site.running >= limits.ofSite) continue;
      const task = takeFrom(siteId, site);
      if (task === undefined) continue;
      site.running += 1;
      sites.delete(siteId);
      sites.set(siteId, site);
      return task;
    }
    return undefined;
  }

  function pump(): void {
    while (!isStopped && running < limits.total) {
      const task = next();
      if (task === undefined) return;
      running += 1;
      void run(task).then((outcome) => leave(task, outcome));
    }
  }

  function leave(task: T, outcome: 'answered' | 'silent' | 'not_called'): void {
    const key = keyOf(task);
    if (outcome === 'answered') silences.delete(key);
    else if (outcome === 'silent') silences.set(key, (silences.get(key) ?? 0) + 1);
    running -= 1;
    all.delete(task);
    const site = sites.get(task.siteId);
    const receiver = site?.receivers.get(task.receiver);
    if (site !== undefined && receiver !== undefined) {
      site.running -= 1;
      site.held -= 1;
      receiver.running -= 1;
      if (receiver.running === 0 && receiver.waiting.length === 0) site.receivers.delete(task.receiver);
      if (site.held === 0) sites.delete(task.siteId);
    }
    pump();
    if (room(task.siteId) > 0) onRoom(task.siteId);
  }

  function room(siteId: string): number {
    if (isStopped) return 0;
    const ofSite = limits.heldOfSite - (sites.get(siteId)?.held ?? 0);
    return Math.max(0, Math.min(ofSite, limits.held - all.size));
  }

  return {
    room,
    held: () => all,
    add(task) {
      all.add(task);
      const site = sites.get(task.siteId) ?? { receivers: new Map(), running: 0, held: 0 };
      sites.set(task.siteId, site);
      const receiver = site.receivers.get(task.receiver) ?? { waiting: [], running: 0 };
      site.receivers.set(task.receiver, receiver);
      receiver.waiting.push(task);
      site.held += 1;
      pump();
    },
    crowded(siteId) {
      const receivers = sites.get(siteId)?.receivers ?? new Map<string, Receiver<T>>();
      return [...receivers].flatMap(([name, { waiting }]) =>
        waiting.length >= limits.waitingOfReceiver ? [name] : [],
      );
    },
    async stop(withinMs) {
      isStopped = true;
      const giveUpAt = performance.now() + withinMs;
      while (running > 0 && performance.now() < giveUpAt) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}
