/*
 * Shares the slots of a process: round-robin between sites, and within a site between receivers. A site with a
 * thousand deliveries for a hanging receiver uses up its own share of slots and never that of others.
 */

export interface Limits {
  /** Deliveries running at the same time. */
  total: number;
  ofSite: number;
  ofReceiver: number;
  /** Per connected tool. Rate limits allow a few calls a second, so more would only wait for each other half done. */
  ofTool: number;
  /** Per receiver that accepts batches. */
  ofBatchReceiver: number;
  /** In memory: running or waiting for a slot. */
  held: number;
  /** Two transactions that commit at once may exceed it: neither counts what the other is about to add. */
  heldOfSite: number;
  waitingOfReceiver: number;
  /** Keeps a few slow tools from filling a site's share of memory. */
  waitingOfTool: number;
}

export const LIMITS: Limits = {
  total: 512,
  ofSite: 64,
  ofReceiver: 32,
  ofTool: 4,
  ofBatchReceiver: 3,
  held: 4096,
  heldOfSite: 512,
  waitingOfReceiver: 128,
  waitingOfTool: 16,
};

/** After so many timeouts in a row a receiver is half-open: it gets one slot until it answers. */
const TIMEOUTS_BEFORE_PROBE = 3;

/** Evicting a silent receiver is safe; it is learned again. */
const MOST_SILENT = 10_000;

/** How a receiver responded to a delivery. */
export type Contact = 'answered' | 'silent' | 'not_called';

export interface Task {
  siteId: string;
  /** A host, or a connected tool. */
  receiver: string;
  isTool: boolean;
}

interface Receiver<T> {
  isTool: boolean;
  waiting: T[];
  running: number;
}

interface Site<T> {
  /** In round-robin order. */
  receivers: Map<string, Receiver<T>>;
  running: number;
  held: number;
}

export interface Dispatcher<T extends Task> {
  add(task: T): void;
  /** May sites that have nothing here yet add something? */
  hasRoom(): boolean;
  /** How many more of a site may be added. */
  room(siteId: string): number;
  /** Does this receiver have enough tasks waiting? */
  isCrowded(siteId: string, receiver: string): boolean;
  /** May deliveries of a site wait in the table until some of those in memory are done? */
  awaitsRoom(siteId: string): boolean;
  /** Sites that have used up their share of memory. */
  fullSites(): string[];
  /** All held tasks, for the renewal of their leases. */
  held(): Iterable<T>;
  /** Starts nothing new; resolves when running tasks have ended, or after the timeout. */
  stop(withinMs: number): Promise<void>;
}

/**
 * A site gets no more than what would then be left for others, so that sites arriving later find free slots.
 * @param own what it has already
 */
function shareOf(own: number, { most, free }: { most: number; free: number }): number {
  return Math.min(most, Math.max(1, Math.floor((own + free) / 2)));
}

/** Receivers that did not answer lately, by site. */
function createSilences() {
  const silences = new Map<string, number>();
  const keyOf = (siteId: string, receiver: string) => `${siteId} ${receiver}`;

  return {
    isHalfOpen: (siteId: string, receiver: string) =>
      (silences.get(keyOf(siteId, receiver)) ?? 0) >= TIMEOUTS_BEFORE_PROBE,
    note({ siteId, receiver }: Task, contact: Contact): void {
      const key = keyOf(siteId, receiver);
      if (contact === 'answered') silences.delete(key);
      if (contact !== 'silent') return;
      const before = silences.get(key) ?? 0;
      silences.delete(key);
      silences.set(key, before + 1);
      const [oldest] = silences.keys();
      if (silences.size > MOST_SILENT && oldest !== undefined) silences.delete(oldest);
    },
  };
}

/** What is waiting and what is running, by site and receiver, and whose turn it is. */
function createTurns<T extends Task>(
  limits: Limits,
  batchSizeOf: (receiver: string) => number,
  isHalfOpen: (siteId: string, receiver: string) => boolean,
) {
  const sites = new Map<string, Site<T>>();

  function mostWaitingOf(name: string, { isTool }: Receiver<T>): number {
    return isTool && batchSizeOf(name) === 1 ? limits.waitingOfTool : limits.waitingOfReceiver;
  }

  function slotsOf(siteId: string, name: string, { isTool }: Receiver<T>): number {
    if (isHalfOpen(siteId, name)) return 1;
    if (batchSizeOf(name) > 1) return limits.ofBatchReceiver;
    return isTool ? limits.ofTool : limits.ofReceiver;
  }

  /** Next tasks of a site, from the receiver whose turn it is. */
  function takeFrom(siteId: string, site: Site<T>): T[] {
    for (const [name, receiver] of site.receivers) {
      if (receiver.waiting.length === 0 || receiver.running >= slotsOf(siteId, name, receiver)) continue;
      receiver.running += 1;
      // Moves it behind the other receivers.
      site.receivers.delete(name);
      site.receivers.set(name, receiver);
      return receiver.waiting.splice(0, batchSizeOf(name));
    }
    return [];
  }

  return {
    sites,
    mostWaitingOf,
    add(task: T): void {
      const site = sites.get(task.siteId) ?? { receivers: new Map(), running: 0, held: 0 };
      sites.set(task.siteId, site);
      const receiver = site.receivers.get(task.receiver) ?? { isTool: task.isTool, waiting: [], running: 0 };
      site.receivers.set(task.receiver, receiver);
      receiver.waiting.push(task);
      site.held += 1;
    },
    /** @param free slots of the process */
    next(free: number): T[] {
      for (const [siteId, site] of sites) {
        if (site.running >= shareOf(site.running, { most: limits.ofSite, free })) continue;
        const tasks = takeFrom(siteId, site);
        if (tasks.length === 0) continue;
        site.running += 1;
        sites.delete(siteId);
        sites.set(siteId, site);
        return tasks;
      }
      return [];
    },
    /** @param count tasks that ran together in one slot of this receiver */
    leave({ siteId, receiver: name }: T, count: number): void {
      const site = sites.get(siteId);
      const receiver = site?.receivers.get(name);
      if (site !== undefined && receiver !== undefined) {
        site.running -= 1;
        site.held -= count;
        receiver.running -= 1;
        if (receiver.running === 0 && receiver.waiting.length === 0) site.receivers.delete(name);
      }
      if (site?.held === 0) sites.delete(siteId);
    },
  };
}

/**
 * @param run never throws; it gets a task and those that go along with it in the same slot
 * @param batchSizeOf how many of a receiver go together, at most
 */
export function createDispatcher<T extends Task>(
  run: (task: T, along: readonly T[]) => Promise<Contact>,
  onRoom: (siteId: string) => void,
  limits: Limits = LIMITS,
  batchSizeOf: (receiver: string) => number = () => 1,
): Dispatcher<T> {
  const silences = createSilences();
  const turns = createTurns<T>(limits, batchSizeOf, silences.isHalfOpen);
  const { sites, mostWaitingOf } = turns;
  const all = new Set<T>();
  /** Sites of which something may wait in the table, because there was no room for it. */
  const wasFull = new Set<string>();
  let running = 0;
  let isStopped = false;

  function pump(): void {
    while (!isStopped && running < limits.total) {
      const [task, ...along] = turns.next(limits.total - running);
      if (task === undefined) return;
      running += 1;
      void run(task, along).then((contact) => leave(task, along, contact));
    }
  }

  function leave(task: T, along: readonly T[], contact: Contact): void {
    silences.note(task, contact);
    running -= 1;
    for (const one of [task, ...along]) all.delete(one);
    turns.leave(task, 1 + along.length);
    pump();
    if (!wasFull.has(task.siteId) || !isHalfEmpty(task)) return;
    wasFull.delete(task.siteId);
    onRoom(task.siteId);
  }

  /** Polls a full site again only when half of it is done, so that each poll finds many. */
  function isHalfEmpty({ siteId, receiver: name }: Task): boolean {
    const site = sites.get(siteId);
    const receiver = site?.receivers.get(name);
    const isReceiverHalfEmpty =
      receiver === undefined || receiver.waiting.length <= mostWaitingOf(name, receiver) / 2;
    return isReceiverHalfEmpty && (site?.held ?? 0) <= limits.heldOfSite / 2;
  }

  function room(siteId: string): number {
    if (isStopped) return 0;
    const own = sites.get(siteId)?.held ?? 0;
    const free = Math.max(0, shareOf(own, { most: limits.heldOfSite, free: limits.held - all.size }) - own);
    if (free === 0 && own > 0) wasFull.add(siteId);
    return free;
  }

  return {
    hasRoom: () => !isStopped && all.size < limits.held,
    room,
    held: () => all,
    add(task) {
      all.add(task);
      turns.add(task);
      pump();
    },
    isCrowded(siteId, name) {
      const receiver = sites.get(siteId)?.receivers.get(name);
      if (receiver === undefined || receiver.waiting.length < mostWaitingOf(name, receiver)) return false;
      wasFull.add(siteId);
      return true;
    },
    awaitsRoom: (siteId) => wasFull.has(siteId),
    fullSites: () => [...sites.keys()].filter((siteId) => room(siteId) === 0),
    async stop(withinMs) {
      isStopped = true;
      const giveUpAt = performance.now() + withinMs;
      while (running > 0 && performance.now() < giveUpAt) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}
