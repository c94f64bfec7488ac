import { setTimeout as sleep } from 'node:timers/promises';
import { allSiteIds } from '#server/accounts/sites/sites.ts';
import type { ActionRow } from '#server/delivery/actions/actions.sql.ts';
import type { Running } from '#server/platform/background-task.ts';
import type { SiteDb, Statement } from '#server/platform/database.ts';
import { startIntervalWorker } from '#server/platform/interval-worker.ts';
import type { Services } from '#server/platform/services.ts';
import { publishStatement } from '#server/platform/pubsub.ts';
import { batchSizeOf } from './batch-sizes.ts';
import { deliveriesWithChoices, type DeliveryWithChoice, updateDeliveries } from './deliveries.sql.ts';
import * as statements from './delivery-queue.sql.ts';
import { type Contact, createDispatcher, type Dispatcher, LIMITS, type Task } from './dispatcher.ts';
import { createLooks, lookAtDueSites } from './site-looks.ts';

/*
 * The deliveries table is the queue (decision 038). A delivery is due at `next_attempt_at`; the process that leases it
 * moves that to the end of its lease, and renews the lease while a receiver is slow. `sites_with_work` says which sites
 * have something due, never later than the first of it. A process that dies loses nothing: its leases end.
 */

/** A killed worker's deliveries run elsewhere after at most this time and a look; 30 s are promised. */
export const LEASE_MS = 22_000;
const RENEW_EVERY_MS = 7_000;
const LOOK_EVERY_MS = 1000;
/** What no mark led to, for instance because a coordinator died between two commits, is found this often. */
const SWEEP_EVERY_MS = 60_000;
/** A site that doesn't answer takes one of these turns until its statement times out. */
const SWEPT_AT_ONCE = 4;
const RENEWED_AT_ONCE = 16;
const BETWEEN_SITES_MS = 5;
/** Who has a mark may be a save, which looks for nothing: the look that met it is made again. */
const LOCKED_FOR_MS = 50;
const LEASED_AT_ONCE = 128;
/** Workers of other processes are woken this long after a save, together for all that come meanwhile. */
const WAKE_EVERY_MS = 20;
const STOP_WITHIN_MS = 15_000;

/**
 * Saves rely on a mark for this long. Until it is due there is time enough for each of them to commit, so that the look
 * then finds their deliveries.
 */
const MARK_LASTS_MS = 6_000;

const WAKE = 'deliveries';

export interface LeasedDelivery extends Task {
  row: DeliveryWithChoice;
  leasedAt: number;
}

type Receiver = Pick<Task, 'receiver' | 'isTool'>;

/** What an action's deliveries are lined up by: a connected tool, or the host of an endpoint. */
export function receiverOf(action: Pick<ActionRow, 'id' | 'integration_id' | 'target'>): Receiver {
  if (action.integration_id !== null) return { receiver: action.integration_id, isTool: true };
  const { url } = action.target;
  const isHttp = typeof url === 'string' && URL.canParse(url);
  return { receiver: isHttp ? new URL(url).host : action.id, isTool: false };
}

/** What this process knows of the work of sites. */
interface Local {
  /** null in processes that make no deliveries. */
  worker: Worker | null;
  /** Sites whose mark saves may rely on, and until when. */
  marked: Map<string, number>;
  /** Sites about which others will be told in a moment. */
  calling: Set<string>;
}

interface Worker {
  /** Takes a delivery of a save that this process has just committed. */
  take(tasks: LeasedDelivery[]): void;
  hasRoom(siteId: string, receiver: string, waiting: number): boolean;
  /** Does it hold all that it may of a site? */
  isFull(siteId: string): boolean;
  look(siteId: string): void;
  /** Looks for what a save has left in the table. */
  leaseOverflow(siteId: string): void;
}

const locals = new WeakMap<Services['database'], Local>();

function localOf({ database }: Services): Local {
  const known = locals.get(database);
  if (known !== undefined) return known;
  const local: Local = { worker: null, marked: new Map(), calling: new Set() };
  locals.set(database, local);
  return local;
}

/** A new delivery, with what its receiver is told by. */
export interface Offered {
  row: DeliveryWithChoice;
  action: Pick<ActionRow, 'id' | 'integration_id' | 'target'>;
}

/**
 * Brings new deliveries to workers: this process makes those that it has room for as soon as they are committed, others
 * the rest.
 * @returns when each is due, in order: now, or when the lease of this process ends; and what marks the site
 */
export function handToLocalWorker(
  services: Services,
  site: SiteDb,
  offered: readonly Offered[],
): { dueAt: Date[]; statements: Statement[] } {
  const local = localOf(services);
  const now = services.clock.now();
  const leaseEnd = new Date(now.getTime() + LEASE_MS);
  const taken: LeasedDelivery[] = [];
  const dueAt = offered.map(({ row, action }) => {
    const receiver = receiverOf(action);
    if (local.worker?.hasRoom(site.id, receiver.receiver, taken.length) !== true) return now;
    taken.push({ siteId: site.id, ...receiver, row, leasedAt: performance.now() });
    return leaseEnd;
  });
  if (taken.length > 0) site.afterCommit(() => local.worker?.take(taken));
  if (taken.length < offered.length) {
    site.afterCommit(() => {
      local.worker?.leaseOverflow(site.id);
      wakeOthers(services, site.id);
    });
  }
  return { dueAt, statements: markForSave(local, site, now) };
}

/** The mark that leads others to what this process leaves behind when it dies. */
function markForSave({ marked }: Local, site: SiteDb, now: Date): Statement[] {
  if ((marked.get(site.id) ?? 0) > now.getTime()) return [];
  const end = new Date(now.getTime() + LEASE_MS);
  site.afterCommit(() => {
    // The one that was marked first is at the beginning.
    for (const [siteId, until] of marked) {
      if (until > now.getTime()) break;
      marked.delete(siteId);
    }
    marked.delete(site.id);
    marked.set(site.id, now.getTime() + MARK_LASTS_MS);
  });
  return [statements.markSite(site.id, end, end)];
}

/** For the transaction that makes something due: workers look at the site by then, and at once if it is due now. */
export function announceWork(services: Services, site: SiteDb, dueAt: Date): Statement {
  const now = services.clock.now();
  if (dueAt <= now) {
    site.afterCommit(() => {
      localOf(services).worker?.look(site.id);
      wakeOthers(services, site.id);
    });
  }
  return statements.markSite(site.id, dueAt, now);
}

function wakeOthers(services: Services, siteId: string): void {
  const { worker, calling } = localOf(services);
  // One that is full leaves the table as it is: others have to be told.
  if (worker?.isFull(siteId) === false) return;
  if (calling.has(siteId)) return;
  calling.add(siteId);
  setTimeout(() => {
    calling.delete(siteId);
    const { sql, parameters } = publishStatement(WAKE, siteId);
    services.database.pool.query(sql, parameters).catch(() => {});
  }, WAKE_EVERY_MS);
}

/**
 * Takes up to so many due deliveries of a site, and says when the site is looked at next.
 * @returns 'locked' while somebody else has the site's mark
 */
async function leaseDue(
  { database, clock }: Services,
  siteId: string,
  { without, limit }: { without: readonly string[]; limit: number },
): Promise<DeliveryWithChoice[] | 'locked'> {
  const now = clock.now();
  return database.inSite(siteId, async (site) => {
    const holdUntil = await statements.lockMark(site);
    if (holdUntil === 'locked') return 'locked';
    if (holdUntil === null) return [];
    const ids = await statements.lockDue(site, { now, without, limit });
    const [, rows, next] = await Promise.all([
      ids.length === 0
        ? null
        : updateDeliveries(site, ids, { next_attempt_at: new Date(now.getTime() + LEASE_MS) }),
      ids.length === 0
        ? []
        : site.db.executeQuery(deliveriesWithChoices(site.db, siteId, ids)).then((one) => one.rows),
      site.db.executeQuery(statements.nextDueAt(site.db, siteId)),
    ]);
    const at = next.rows[0]?.at ?? null;
    await site.commitWith([statements.moveMark(siteId, nextLookAt(at, holdUntil, now))]);
    return rows;
  });
}

/** When a site is looked at again; null: there is nothing to look for. */
function nextLookAt(nextDueAt: Date | null, holdUntil: Date, now: Date): Date | null {
  const times = [...(nextDueAt === null ? [] : [nextDueAt]), ...(holdUntil > now ? [holdUntil] : [])];
  if (times.length === 0) return null;
  // What is due still waits for room: it is looked for a moment later.
  const soonest = now.getTime() + LOOK_EVERY_MS;
  return new Date(Math.max(soonest, Math.min(...times.map((time) => time.getTime()))));
}

/**
 * Marks every site that has work, whatever became of its mark, also while a part of a cluster is down.
 * @param look is told of those that have something due
 * @throws after all others, what kept the first of those sites from being read
 */
export async function sweep(
  services: Services,
  look: (siteId: string) => void,
  signal: AbortSignal,
): Promise<void> {
  await someAtOnce(SWEPT_AT_ONCE, allSiteIds(services.database.global), async (siteId) => {
    if (signal.aborted) return;
    try {
      await sweepSite(services, look, siteId);
    } finally {
      await sleep(BETWEEN_SITES_MS, undefined, { ref: false });
    }
  });
}

/**
 * Does the same for many sites. A site that fails or doesn't answer keeps no other from its turn.
 * @throws after all others, what the first of them failed with
 */
async function someAtOnce<T>(
  atOnce: number,
  sites: AsyncIterable<T> | Iterable<T>,
  work: (one: T) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  // One iterator, which all of them share.
  const rest = (async function* () {
    yield* sites;
  })();
  async function takeTurns(): Promise<void> {
    for await (const one of rest) await work(one).catch((error: unknown) => failures.push(error));
  }
  await Promise.all(Array.from({ length: atOnce }, takeTurns));
  if (failures.length > 0) throw failures[0];
}

async function sweepSite(
  { database, clock }: Services,
  look: (siteId: string) => void,
  siteId: string,
): Promise<void> {
  const [next] = await database.readOnce(siteId, (db) => statements.nextDueAt(db, siteId));
  const at = next?.at ?? null;
  if (at === null) return;
  const mark = statements.markSite(siteId, at, clock.now());
  await database.global.query(mark.sql, [...mark.parameters]);
  if (at <= clock.now()) look(siteId);
}

/** Leases what is due of a site, until there is no more of it or no more room. */
async function leaseAll(
  services: Services,
  siteId: string,
  to: Pick<Dispatcher<LeasedDelivery>, 'add' | 'room' | 'isCrowded'>,
  receiversOf: (siteId: string) => Promise<ReadonlyMap<string, Receiver>>,
): Promise<void> {
  for (;;) {
    const limit = Math.min(LEASED_AT_ONCE, to.room(siteId));
    if (limit === 0) return;
    const receivers = await receiversOf(siteId);
    const without = [...receivers].flatMap(([id, { receiver }]) =>
      to.isCrowded(siteId, receiver) ? [id] : [],
    );
    const rows = await leaseDue(services, siteId, { without, limit });
    if (rows === 'locked') {
      await sleep(LOCKED_FOR_MS);
      continue;
    }
    for (const row of rows) {
      const receiver = receivers.get(row.action_id) ?? { receiver: row.action_id, isTool: false };
      to.add({ siteId, ...receiver, row, leasedAt: performance.now() });
    }
    if (rows.length < limit) return;
  }
}

/** @param moving sites whose leases are being moved already, which are left out */
async function moveLeases(
  services: Services,
  held: Iterable<LeasedDelivery>,
  newEnd: () => Date,
  moving = new Set<string>(),
): Promise<void> {
  async function moveOf([siteId, tasks]: [string, LeasedDelivery[]]): Promise<void> {
    if (moving.has(siteId)) return;
    moving.add(siteId);
    const attempts = new Map(tasks.map(({ row }) => [row.delivery_id, row.attempt_count]));
    const until = newEnd();
    try {
      await services.database.inSite(siteId, async (site) => {
        const ids = await statements.lockLeased(site, attempts);
        if (ids.length > 0) await updateDeliveries(site, ids, { next_attempt_at: until });
        await site.commitWith([announceWork(services, site, until)]);
      });
    } finally {
      moving.delete(siteId);
    }
  }
  const ofSites = Map.groupBy(held, (task) => task.siteId);
  await someAtOnce(RENEWED_AT_ONCE, ofSites, moveOf);
}

interface DeliveryWorkerOptions {
  /** Makes deliveries to one receiver; what it throws leaves them to the end of their leases. */
  deliver: (deliveries: readonly LeasedDelivery[]) => Promise<Contact>;
  /** By the ids of a site's actions. */
  receiversOf: (siteId: string) => Promise<ReadonlyMap<string, Receiver>>;
}

/** Leases due deliveries and makes them. Stopping it ends what is under way, and leaves the rest to others. */
export function startDeliveryWorker(services: Services, how: DeliveryWorkerOptions): Running {
  const { database, clock, log } = services;
  const local = localOf(services);
  const held = new Set<string>();
  /** When saves last caused a look at a site whose deliveries wait for room. */
  const overflowLeasedAt = new Map<string, number>();
  const dispatcher = createDispatcher<LeasedDelivery>(run, pollSite, LIMITS, batchSizeOf);
  const looks = createLooks(log, (siteId) =>
    leaseAll(services, siteId, { ...dispatcher, add }, how.receiversOf),
  );

  function look(siteId: string): void {
    void looks.look(siteId);
  }

  /** There is room again. */
  function pollSite(siteId: string): void {
    overflowLeasedAt.delete(siteId);
    look(siteId);
  }

  /**
   * Without room, a look leases nothing and only moves the mark, which is enough once in a while. The look that follows
   * when there is room finds all of it.
   */
  function leaseOverflow(siteId: string): void {
    if (dispatcher.awaitsRoom(siteId)) {
      const now = performance.now();
      if (now - (overflowLeasedAt.get(siteId) ?? -LOOK_EVERY_MS) < LOOK_EVERY_MS) return;
      overflowLeasedAt.set(siteId, now);
    }
    look(siteId);
  }

  async function run(delivery: LeasedDelivery, along: readonly LeasedDelivery[]): Promise<Contact> {
    const ids = [delivery, ...along].map(({ row }) => row.delivery_id);
    try {
      return await how.deliver([delivery, ...along]);
    } catch (error) {
      log.error(
        { err: error, deliveries: ids },
        'deliveries failed and will be tried again when their leases end',
      );
      return 'not_called';
    } finally {
      for (const id of ids) held.delete(id);
    }
  }

  /** What this process has already, with a lease that ended while the database was away, is not made twice. */
  function add(delivery: LeasedDelivery): void {
    const { delivery_id: id } = delivery.row;
    if (held.has(id)) return;
    held.add(id);
    dispatcher.add(delivery);
  }

  function pollAll(signal: AbortSignal): Promise<void> {
    // Of one moment: a look moves the mark of its site past it.
    const now = clock.now();
    const read = ({ without, limit }: { without: readonly string[]; limit: number }) =>
      statements.dueSites(database.global, { now, without: [...dispatcher.fullSites(), ...without], limit });
    return lookAtDueSites(looks, { read, hasRoom: () => dispatcher.hasRoom() }, signal);
  }

  const renewing = new Set<string>();

  /** A site that doesn't answer may take as long as a lease lasts: the next round doesn't wait for it. */
  async function renewLeases(): Promise<void> {
    const newEnd = () => new Date(clock.now().getTime() + LEASE_MS);
    const round = moveLeases(services, dispatcher.held(), newEnd, renewing).catch((error: unknown) =>
      log.warn({ err: error }, 'the leases of a site could not be renewed'),
    );
    await Promise.race([round, sleep(RENEW_EVERY_MS, undefined, { ref: false })]);
  }

  const workers = [
    startIntervalWorker('due deliveries', LOOK_EVERY_MS, log, pollAll),
    startIntervalWorker('leases', RENEW_EVERY_MS, log, renewLeases),
    startIntervalWorker('sites with work', SWEEP_EVERY_MS, log, (signal) => sweep(services, look, signal), {
      immediately: true,
    }),
  ];
  services.pubsub.on(WAKE, (siteId) => local.worker?.look(siteId));
  local.worker = {
    look,
    leaseOverflow,
    isFull: (siteId) => dispatcher.room(siteId) === 0,
    hasRoom: (siteId, receiver, waiting) =>
      dispatcher.room(siteId) > waiting && !dispatcher.isCrowded(siteId, receiver),
    take: (tasks) => {
      for (const task of tasks) add(task);
    },
  };
  return {
    async stop() {
      local.worker = null;
      await Promise.all([dispatcher.stop(STOP_WITHIN_MS), ...workers.map((worker) => worker.stop())]);
      // What a look has leased meanwhile is given back, too.
      await looks.ended();
      await moveLeases(services, dispatcher.held(), () => clock.now()).catch((error: unknown) =>
        log.warn({ err: error }, 'leases could not be released and will expire'),
      );
    },
  };
}
