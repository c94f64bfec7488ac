import { statfs } from 'node:fs/promises';
import { Gauge } from 'prom-client';
import { evidenceOfAllSites } from '#server/audience/evidence-checks/evidence-checks.ts';
import { timeOfId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { queueFigures, unseenSince } from './metrics.sql.ts';
import { siteCountsOf } from './site-counts.ts';

export interface Metrics {
  readonly contentType: string;
  /** All metrics in Prometheus format; those of the database are missing while it is away. */
  text(): Promise<string>;
  /** The last reading from the database, at most a few seconds old. */
  look(): Promise<MetricsReading>;
}

export interface MetricsReading {
  isDatabaseUp: boolean;
  /** For how many seconds the first due job of each queue has waited. */
  queueDelays: ReadonlyMap<string, number>;
}

/** The minimum interval between database queries, however often metrics are read. */
const LOOK_EVERY_MS = 5000;

function gaugesOf({ metrics: { registry } }: Services) {
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name: `sayso_${name}`, help, labelNames, registers: [registry] });
  return {
    databaseUp: gauge('database_up', '1 if the database answered the last query, else 0'),
    storageFull: gauge('storage_full', '1 if the disk of the database is full, else 0'),
    diskFree: gauge('disk_free_bytes', 'Free space on the disk of the embedded database'),
    connections: gauge(
      'database_connections',
      'Database connections of this process, by use; awaited: requests waiting for one',
      ['use'],
    ),
    queueJobs: gauge('queue_jobs', 'Jobs, by queue and state', ['queue', 'state']),
    queueDelay: gauge('queue_delay_seconds', 'How long the first due job has waited, by queue', ['queue']),
    waiting: gauge(
      'deliveries_waiting',
      'Deliveries waiting, except those held in test mode; only from processes that make deliveries',
    ),
    late: gauge('deliveries_late', 'Waiting deliveries past their due time of 48 hours'),
    oldest: gauge('deliveries_oldest_waiting_seconds', 'Age of the oldest waiting delivery'),
    brokenSites: gauge('evidence_broken_sites', 'Sites whose evidence failed its check'),
    evidenceChecked: gauge('evidence_checked', '1 once evidence has been checked, else 0'),
    tools: gauge(
      'tools',
      'Connected tools, by provider and state; only from processes that make deliveries',
      ['provider', 'state'],
    ),
  };
}

type Gauges = ReturnType<typeof gaugesOf>;

async function lookAtDatabase(services: Services, gauges: Gauges): Promise<MetricsReading> {
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

export function createMetrics(services: Services): Metrics {
  const { registry } = services.metrics;
  const gauges = gaugesOf(services);
  let last: { at: number; look: Promise<MetricsReading> } | null = null;

  async function lookNow(): Promise<MetricsReading> {
    const away: MetricsReading = { isDatabaseUp: false, queueDelays: new Map() };
    const found = await lookAtDatabase(services, gauges).catch(() => away);
    gauges.databaseUp.set(found.isDatabaseUp ? 1 : 0);
    await lookAtDisk(services, gauges).catch(() => {});
    return found;
  }

  function look(): Promise<MetricsReading> {
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
      const { tools, deliveries } = siteCountsOf(services);
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
