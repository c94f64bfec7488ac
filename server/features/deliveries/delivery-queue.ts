import { setTimeout as sleep } from 'node:timers/promises';
import type { ActionRow } from '#server/features/actions/actions.sql.ts';
import { actionsOf } from '#server/features/actions/actions.ts';
import { allSiteIds } from '#server/features/sites/sites.sql.ts';
import type { SiteDb, Statement } from '#server/platform/database.ts';
import { signalStatement } from '#server/platform/signals.ts';
import type { Services } from '#server/platform/services.ts';
import { detached } from '#server/platform/tenant-budget.ts';
import { startTicks, type Ticks } from '#server/platform/ticks.ts';
import { deliveriesWithChoices, type DeliveryWithChoice } from './deliveries.sql.ts';
import * as statements from './delivery-queue.sql.ts';
import { createDispatcher, type Task } from './dispatcher.ts';

/*
 * The deliveries table is the queue. A delivery is due at `next_attempt_at`; the process that takes it moves that to the
 * end of its lease, and renews the lease while a receiver is slow. `sites_with_work` says which sites have something due,
 * never later than the first of it, so that a process that dies loses nothing: its leases end.
 */

/** A killed worker's deliveries run elsewhere after at most this time; 30 s are promised. */
const LEASE_MS = 22_000;
const RENEW_EVERY_MS = 7_000;
const LOOK_EVERY_MS = 1000;
/** What no mark led to, for instance because a coordinator died between two commits, is found this often. */
const SWEEP_EVERY_MS = 10 * 60_000;
const SITES_AT_ONCE = 50;
const LEASED_AT_ONCE = 64;
/** Workers of other processes are woken this long after a save, together for all that come meanwhile. */
const WAKE_EVERY_MS = 20;
const STOP_WITHIN_MS = 15_000;

const WAKE = 'deliveries';

export interface LeasedDelivery extends Task {
  row: DeliveryWithChoice;
}

/** How a delivery is made: says whether its receiver answered; never throws. */
export type Deliver = (row: DeliveryWithChoice) => Promise<'answered' | 'silent' | 'not_called'>;

/** What an action's deliveries are lined up by: a connected tool, or the host of an endpoint. */
export function receiverOf(action: Pick<ActionRow, 'id' | 'integration_id' | 'target'>): string {
  if (action.integration_id !== null) return action.integration_id;
  const { url } = action.target;
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).host : action.id;
}

interface Worker {
  /** Takes deliveries of a save that this process has just committed; what it has no room for is left to the table. */
  take(siteId: string, rows: readonly DeliveryWithChoice[]): void;
  room(siteId: string): number;
  look(siteId: string): void;
}

const workers = new WeakMap<Services['database'], Worker>();

/**
 * Which of a save's new deliveries this process makes itself: they are written as leased, and begin after the commit.
 * @returns how many
 */
export function offer({ database }: Services, site: SiteDb, rows: readonly DeliveryWithChoice[]): number {
  const worker = workers.get(database);
  const count = Math.min(rows.length, worker?.room(site.id) ?? 0);
  if (worker !== undefined && count > 0) {
    site.afterCommit(() => worker.take(site.id, rows.slice(0, count)));
  }
  return count;
}

export function leaseEnd(now: Date): Date {
  return new Date(now.getTime() + LEASE_MS);
}

const calling = new Set<string>();

/** For the transaction that makes something due: workers look at the site by then, and at once if it is due now. */
export function announceWork(services: Services, site: SiteDb, dueAt: Date): Statement {
  if (dueAt <= services.clock.now()) site.afterCommit(() => wake(services, site.id));
  return statements.markSite(site.id, dueAt);
}

function wake({ database }: Services, siteId: string): void {
  const own = workers.get(database);
  if (own !== undefined) return own.look(siteId);
  if (calling.has(siteId)) return;
  calling.add(siteId);
  setTimeout(() => {
    calling.delete(siteId);
    const { sql, parameters } = signalStatement(WAKE, siteId);
    database.pool.query(sql, parameters).catch(() => {});
  }, WAKE_EVERY_MS);
}

export interface DeliveryWorker {
  stop(): Promise<void>;
}

export function startDeliveryWorker(services: Services, deliver: Deliver): DeliveryWorker {
  const { database, clock, log } = services;
  const looking = new Set<string>();
  const again = new Set<string>();
  const dispatcher = createDispatcher<LeasedDelivery>(({ row }) => deliver(row), look);

  async function add(siteId: string, rows: readonly DeliveryWithChoice[]): Promise<void> {
    const actions = new Map((await actionsOf(services, siteId)).map((action) => [action.id, action]));
    for (const row of rows) {
      const action = actions.get(row.action_id);
      dispatcher.add({ siteId, receiver: action === undefined ? row.action_id : receiverOf(action), row });
    }
  }

  /** One look at a site at a time; what comes meanwhile is found by another one. */
  function look(siteId: string): void {
    if (looking.has(siteId)) return void again.add(siteId);
    looking.add(siteId);
    detached(() => leaseAll(siteId))
      .catch((error: unknown) => log.warn({ err: error, site: siteId }, 'deliveries could not be leased'))
      .finally(() => {
        looking.delete(siteId);
        if (again.delete(siteId)) look(siteId);
      });
  }

  async function leaseAll(siteId: string): Promise<void> {
    for (;;) {
      const limit = Math.min(LEASED_AT_ONCE, dispatcher.room(siteId));
      if (limit === 0) return;
      const leased = await lease(siteId, limit);
      await add(siteId, leased);
      if (leased.length < limit) return;
    }
  }

  async function lease(siteId: string, limit: number): Promise<DeliveryWithChoice[]> {
    const crowded = new Set(dispatcher.crowded(siteId));
    const without =
      crowded.size === 0
        ? []
        : (await actionsOf(services, siteId)).flatMap((one) => (crowded.has(receiverOf(one)) ? [one.id] : []));
    const now = clock.now();
    return database.inSite(siteId, async (site) => {
      if (!(await statements.lockMark(site))) return [];
      const ids = await statements.leaseDue(site, { now, until: leaseEnd(now), without, limit });
      const [rows, next] = await Promise.all([
        site.db.executeQuery(deliveriesWithChoices(site.db, site.id, ids)),
        site.db.executeQuery(statements.nextDueAt(site.db, site.id)),
      ]);
      const at = next.rows[0]?.at ?? null;
      // What is due still waits for room: it is looked for a moment later.
      const soonest = new Date(now.getTime() + LOOK_EVERY_MS);
      await statements.moveMark(site, at === null || at > soonest ? at : soonest);
      return rows.rows;
    });
  }

  async function renew(): Promise<void> {
    const until = leaseEnd(clock.now());
    for (const [siteId, held] of Map.groupBy(dispatcher.held(), (task) => task.siteId)) {
      const leases = held.map(({ row }) => ({
        id: row.delivery_id,
        attempt_count: row.attempt_count,
        next_attempt_at: until,
      }));
      await database.inSite(siteId, (site) => site.commitWith(statements.renewLeases(siteId, leases)));
    }
  }

  /** Marks every site that has work, whatever became of its mark. */
  async function sweep(signal: AbortSignal): Promise<void> {
    for await (const siteId of allSiteIds(database.global)) {
      if (signal.aborted) return;
      const [next] = await database.readOnce(siteId, (db) => statements.nextDueAt(db, siteId));
      const at = next?.at ?? null;
      if (at !== null) {
        await database.inSite(siteId, (site) => site.commitWith([statements.markSite(siteId, at)]));
      }
      await sleep(5, undefined, { ref: false });
    }
  }

  const rounds: Ticks[] = [
    startTicks('due deliveries', LOOK_EVERY_MS, log, async () => {
      for (const siteId of await statements.dueSites(database.global, clock.now(), SITES_AT_ONCE)) look(siteId);
    }),
    startTicks('leases', RENEW_EVERY_MS, log, renew),
    startTicks('sites with work', SWEEP_EVERY_MS, log, sweep, { atOnce: true }),
  ];
  services.signals.on(WAKE, look);
  workers.set(database, {
    look,
    room: dispatcher.room,
    take: (siteId, rows) =>
      void add(siteId, rows).catch((error: unknown) =>
        // Their leases end, and the table has them.
        log.warn({ err: error, site: siteId }, 'deliveries of a save wait for their lease to end'),
      ),
  });
  return {
    async stop() {
      workers.delete(database);
      await Promise.all(rounds.map((round) => round.stop()));
      await dispatcher.stop(STOP_WITHIN_MS);
    },
  };
}
