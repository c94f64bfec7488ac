import { statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Gauge } from 'prom-client';
import { allSiteIds } from '#server/accounts/sites/sites.ts';
import { evidenceOfAllSites } from '#server/audience/evidence-checks/evidence-checks.ts';
import { DELIVERY_DUE_MS } from '#server/delivery/deliveries/deliveries.ts';
import { firstIdAt, timeOfId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { startTicks, type Ticks } from '#server/platform/ticks.ts';
import {
  queueFigures,
  type ToolState,
  toolStates,
  unseenSince,
  type WaitingDeliveries,
  waitingDeliveries,
} from './metrics.sql.ts';

export interface Metrics {
  readonly contentType: string;
  /** All figures, in the format of Prometheus; those of the database are missing while it is away. */
  text(): Promise<string>;
  /** What the database said, at most a few seconds ago. */
  look(): Promise<Look>;
}

export interface Look {
  isDatabaseUp: boolean;
  /** For how many seconds the first due job of each queue waits. */
  queueDelays: ReadonlyMap<string, number>;
}

/** However often and by how many it is asked, the database is asked this seldom. */
const LOOK_EVERY_MS = 5000;

function gaugesOf({ figures: { registry } }: Services) {
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name: `sayso_${name}`, help, labelNames, registers: [registry] });
  return {
    databaseUp: gauge('database_up', 'Whether the database answered the last time that it was asked'),
    storageFull: gauge('storage_full', 'Whether the disk of the database is full'),
    diskFree: gauge('disk_free_bytes', 'Free space where the embedded database lies'),
    connections: gauge('database_connections', 'Connections of this process, by use', ['use']),
    queueJobs: gauge('queue_jobs', 'Jobs, by queue and state', ['queue', 'state']),
    queueDelay: gauge('queue_delay_seconds', 'For how long the first due job of a queue waits', ['queue']),
    waiting: gauge('deliveries_waiting', 'Deliveries that have not arrived yet; of processes that make them'),
    late: gauge('deliveries_late', 'Of those that wait, the ones that should have arrived by now'),
    oldest: gauge('deliveries_oldest_waiting_seconds', 'Age of the delivery that waits longest'),
    brokenSites: gauge('evidence_broken_sites', 'Sites whose evidence does not hold'),
    evidenceChecked: gauge('evidence_checked', 'Whether any evidence was checked so far'),
    tools: gauge('tools', 'Connected tools by state; of processes that work the queue', [
      'provider',
      'state',
    ]),
  };
}

type Gauges = ReturnType<typeof gaugesOf>;

async function lookAtDatabase(services: Services, gauges: Gauges): Promise<Look> {
  const { global } = services.database;
  const now = services.clock.now();
  const [queues, deliveriesDueSince, evidence] = await Promise.all([
    queueFigures(global, now),
    unseenSince(global, now),
    evidenceOfAllSites(services),
  ]);
  gauges.queueJobs.reset();
  gauges.queueDelay.reset();
  const queueDelays = new Map<string, number>();
  const setDelay = (queue: string, dueSince: Date | null) => {
    const delay = dueSince === null ? 0 : secondsBetween(dueSince, now);
    gauges.queueDelay.set({ queue }, delay);
    queueDelays.set(queue, delay);
  };
  setDelay('deliveries', deliveriesDueSince);
  for (const { queue, waiting, running, due_since: dueSince } of queues) {
    gauges.queueJobs.set({ queue, state: 'waiting' }, waiting);
    gauges.queueJobs.set({ queue, state: 'running' }, running);
    setDelay(queue, dueSince);
  }
  gauges.brokenSites.set(evidence.broken_sites);
  gauges.evidenceChecked.set(evidence.evidence === 'unchecked' ? 0 : 1);
  return { isDatabaseUp: true, queueDelays };
}

function secondsBetween(start: Date, end: Date): number {
  return Math.max(0, (end.getTime() - start.getTime()) / 1000);
}

async function lookAtDisk({ config }: Services, gauges: Gauges): Promise<void> {
  if (config.databaseUrl !== '') return;
  const { bavail, bsize } = await statfs(config.dataDir);
  gauges.diskFree.set(bavail * bsize);
}

export function createMetrics(services: Services, counts: SiteCounts): Metrics {
  const { registry } = services.figures;
  const gauges = gaugesOf(services);
  let last: { at: number; look: Promise<Look> } | null = null;

  async function lookNow(): Promise<Look> {
    const away: Look = { isDatabaseUp: false, queueDelays: new Map() };
    const found = await lookAtDatabase(services, gauges).catch(() => away);
    gauges.databaseUp.set(found.isDatabaseUp ? 1 : 0);
    await lookAtDisk(services, gauges).catch(() => {});
    return found;
  }

  function look(): Promise<Look> {
    const now = performance.now();
    if (last === null || now - last.at > LOOK_EVERY_MS) last = { at: now, look: lookNow() };
    return last.look;
  }

  return {
    contentType: registry.contentType,
    look,
    async text() {
      await look();
      const { pool, storage } = services.database;
      gauges.storageFull.set(storage.isFull ? 1 : 0);
      gauges.connections.set({ use: 'busy' }, pool.totalCount - pool.idleCount);
      gauges.connections.set({ use: 'idle' }, pool.idleCount);
      gauges.connections.set({ use: 'awaited' }, pool.waitingCount);
      const { tools, deliveries } = counts.current();
      gauges.tools.reset();
      for (const { provider, status, tools: count } of tools) {
        gauges.tools.set({ provider, state: status }, count);
      }
      const { oldest } = deliveries;
      gauges.waiting.set(deliveries.waiting);
      gauges.late.set(deliveries.late);
      gauges.oldest.set(oldest === null ? 0 : secondsBetween(timeOfId(oldest), services.clock.now()));
      return registry.metrics();
    },
  };
}

interface Counted {
  /** Connected tools by their state. */
  tools: readonly ToolState[];
  deliveries: WaitingDeliveries;
}

/** What only each site can say, of all of them, as far as this process has looked. */
export interface SiteCounts {
  current(): Counted;
  stop(): Promise<void>;
}

const NONE: Counted = { tools: [], deliveries: { waiting: 0, late: 0, oldest: null } };

export const NO_SITE_COUNTS: SiteCounts = { current: () => NONE, stop: async () => {} };

const COUNT_EVERY_MS = 60_000;
/** A site after the other, and slowly: whatever their number, it is little work. */
const BETWEEN_SITES_MS = 20;

export function startSiteCounts(services: Services): SiteCounts {
  let counted = NONE;

  async function count(signal: AbortSignal): Promise<void> {
    const tools = new Map<string, ToolState>();
    const deliveries: WaitingDeliveries = { waiting: 0, late: 0, oldest: null };
    for await (const id of allSiteIds(services.database.global)) {
      if (signal.aborted) return;
      const now = services.clock.now();
      const lateBefore = firstIdAt(new Date(now.getTime() - DELIVERY_DUE_MS));
      const [states, waiting] = await services.database.readSite(id, (site) =>
        Promise.all([toolStates(site, now), waitingDeliveries(site, lateBefore)]),
      );
      for (const { provider, status, tools: more } of states) {
        const key = `${provider} ${status}`;
        tools.set(key, { provider, status, tools: (tools.get(key)?.tools ?? 0) + more });
      }
      deliveries.waiting += waiting.waiting;
      deliveries.late += waiting.late;
      const oldest = [deliveries.oldest, waiting.oldest].filter((one) => one !== null);
      deliveries.oldest = oldest.toSorted()[0] ?? null;
      await sleep(BETWEEN_SITES_MS, undefined, { ref: false });
    }
    counted = { tools: [...tools.values()], deliveries };
  }

  const ticks: Ticks = startTicks('site-counts', COUNT_EVERY_MS, services.log, count, { atOnce: true });
  return { current: () => counted, stop: () => ticks.stop() };
}
