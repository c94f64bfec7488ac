import { type ConstructorOptions, PgBoss, type Queue as QueueDefinition } from 'pg-boss';
import type pg from 'pg';
import type { BackgroundTask, Running } from './background-task.ts';
import type { SiteDb, Statement } from './database.ts';
import { newId } from './ids.ts';
import type { Log } from './log.ts';
import { publishStatement, type Pubsub } from './pubsub.ts';
import type { Services } from './services.ts';

export const QUEUE_SCHEMA = 'queue';

/** A killed worker's jobs are retried after this time without a heartbeat (at most 30 s are promised). */
const HEARTBEAT_SECONDS = 10;

/** A queue and its retry policy, declared by its module. */
export interface JobQueue {
  name: string;
  options: Omit<QueueDefinition, 'name' | 'heartbeatSeconds' | 'notify'>;
}

/**
 * For long work that is done in slices, each a job of its own: a slice left behind by a killed worker or a lost database
 * connection is done by the next job.
 */
export const IN_SLICES: JobQueue['options'] = {
  retryLimit: 1000,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 60,
  expireInSeconds: 600,
  deleteAfterSeconds: 3600,
  retentionSeconds: 60 * 24 * 3600,
};

/** The queue's options in pg-boss. */
export function queueOptions({ options }: JobQueue): Omit<QueueDefinition, 'name'> {
  return {
    ...options,
    heartbeatSeconds: HEARTBEAT_SECONDS,
    // A NOTIFY inside a transaction holds a lock of the whole database until the commit is on disk, so that commits no
    // longer share a flush. Workers are woken after it.
    notify: false,
  };
}

export interface Job {
  site_id: string;
  id: string;
  /** The round of attempts; the worker skips a job of a finished round. */
  round: number;
  /** Data that the worker cannot look up, encrypted by its module. */
  sealed?: string;
}

export interface NewJob {
  id: string;
  round: number;
  sealed?: string;
  startAfter?: Date;
}

export interface Queue {
  /** The statement that enqueues, for the site's own transaction: the jobs exist if and only if it commits. */
  enqueueStatement(site: SiteDb, queue: JobQueue, jobs: readonly NewJob[]): Promise<Statement>;
  enqueue(site: SiteDb, queue: JobQueue, jobs: readonly NewJob[]): Promise<void>;
  /**
   * Works jobs; each runs at least once, `concurrency` at a time in this process. Stopping the returned worker takes no
   * more jobs; the queue's own `stop` waits for running ones.
   */
  work(queue: JobQueue, concurrency: number, handle: (job: Job) => Promise<void>): Promise<Running>;
  /** Waits for running jobs, at most 15 seconds. */
  stop(): Promise<void>;
}

/** A task that works the jobs of a queue. */
export function queueTask(
  queue: JobQueue,
  concurrency: number,
  handle: (services: Services, job: Job) => Promise<void>,
): BackgroundTask {
  return {
    name: queue.name,
    start: (services) => services.queue.work(queue, concurrency, (job) => handle(services, job)),
  };
}

/** A slow job delays only its own batch. */
const LOCAL_WORKERS = 12;

interface LocalWorker {
  id: string;
  isBusy: boolean;
}

const WAKE = 'queue';

/** The polling interval, for workers that missed a wake-up. */
const POLLING_SECONDS = 1;
const WAKE_EVERY_MS = 20;

function jobData(siteId: string, { id, round, sealed }: NewJob): Job {
  return {
    site_id: siteId,
    id,
    round,
    ...(sealed === undefined ? {} : { sealed }),
  };
}

interface QueueOptions {
  log: Log;
  worker: boolean;
  pubsub: Pubsub;
  pool: pg.Pool;
  connections: number;
}

/** @param url connection of the server's role; the schema was made by the migration. */
export async function startQueue(url: string, options: QueueOptions): Promise<Queue> {
  const { log } = options;
  const boss = await startBoss(url, options);
  const workers = createLocalWorkers(boss, options);

  async function enqueueStatement(
    site: SiteDb,
    { name }: JobQueue,
    jobs: readonly NewJob[],
  ): Promise<Statement> {
    const atOnce = jobs.filter((job) => job.startAfter === undefined).length;
    if (atOnce > 0) site.afterCommit(() => workers.wake(name, atOnce));
    return insertStatement(boss, site.id, name, jobs);
  }

  return {
    enqueueStatement,
    async enqueue(site, queue, jobs) {
      const statement = await enqueueStatement(site, queue, jobs);
      await site.query(statement.sql, statement.parameters as unknown[]);
    },
    async work({ name }, concurrency, handle) {
      const how = {
        batchSize: Math.ceil(concurrency / LOCAL_WORKERS),
        perJobResults: true as const,
        pollingIntervalSeconds: POLLING_SECONDS,
        burstWhenBatchFull: true,
        heartbeatRefreshSeconds: HEARTBEAT_SECONDS / 2,
      };
      // One at a time, because only a worker with a known id can be woken.
      const own = Array.from({ length: Math.min(LOCAL_WORKERS, concurrency) }, async () => {
        const worker: LocalWorker = { id: '', isBusy: false };
        worker.id = await boss.work<Job>(name, how, async (jobs) => {
          worker.isBusy = true;
          try {
            return await Promise.all(jobs.map((job) => runOne(log, job, handle)));
          } finally {
            worker.isBusy = false;
          }
        });
        return worker;
      });
      workers.add(name, await Promise.all(own));
      return { stop: () => boss.offWork(name, { wait: false }) };
    },
    stop: () => boss.stop({ graceful: true, close: true, timeout: 15_000 }),
  };
}

/** Of a statement, its maintenance included; without one, a database that vanishes keeps the workers for good. */
const ANSWER_WITHIN_MS = 30_000;

async function startBoss(url: string, { log, worker, connections }: QueueOptions): Promise<PgBoss> {
  // What it doesn't know itself, it hands on to the driver.
  const options: ConstructorOptions & pg.PoolConfig = {
    connectionString: url,
    query_timeout: ANSWER_WITHIN_MS,
    keepAlive: true,
    schema: QUEUE_SCHEMA,
    migrate: false,
    createSchema: false,
    schedule: false,
    supervise: worker,
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
    maintenanceIntervalSeconds: 60,
    reindex: false,
    max: connections,
  };
  const boss = new PgBoss(options);
  boss.on('error', (error) => log.warn({ err: error }, 'the queue temporarily lost its database'));
  await boss.start();
  return boss;
}

/** The workers of this process by queue, and how they and those of other processes are woken. */
function createLocalWorkers(boss: PgBoss, { pool, pubsub }: QueueOptions) {
  const workers = new Map<string, LocalWorker[]>();
  const calling = new Set<string>();

  /** Wakes no more workers than there are jobs, because each fetch is a statement. */
  function wakeOwn(name: string, most = Number.POSITIVE_INFINITY): void {
    const all = workers.get(name) ?? [];
    const idle = all.filter((worker) => !worker.isBusy);
    for (const worker of (idle.length === 0 ? all : idle).slice(0, most)) boss.notifyWorker(worker.id);
  }

  /** At once in this process; other processes are notified at most every 20 ms. */
  function wake(name: string, jobs: number): void {
    if (workers.has(name)) wakeOwn(name, jobs);
    else if (!calling.has(name)) {
      calling.add(name);
      setTimeout(() => {
        calling.delete(name);
        const { sql, parameters } = publishStatement(WAKE, name);
        pool.query(sql, parameters).catch(() => {});
      }, WAKE_EVERY_MS);
    }
  }

  pubsub.on(WAKE, (name) => wakeOwn(name));
  return { wake, add: (name: string, own: LocalWorker[]) => void workers.set(name, own) };
}

/** The statement that pg-boss would send, for the caller's transaction. */
async function insertStatement(
  boss: PgBoss,
  siteId: string,
  queue: string,
  jobs: readonly NewJob[],
): Promise<Statement> {
  const written: Statement[] = [];
  await boss.insert(
    queue,
    jobs.map((job) => ({
      // Sorted by time, unlike pg-boss's random ids, so that the index grows at one end.
      id: newId(),
      data: jobData(siteId, job),
      ...(job.startAfter === undefined ? {} : { startAfter: job.startAfter }),
    })),
    {
      db: {
        executeSql: async (text, values) => {
          written.push({ sql: text, parameters: values ?? [] });
          return { rows: [] };
        },
      },
    },
  );
  const [statement] = written;
  if (statement === undefined || written.length > 1)
    throw new Error('Enqueueing was expected to be one statement');
  return statement;
}

async function runOne(
  log: Log,
  job: { id: string; name: string; data: Job },
  handle: (job: Job) => Promise<void>,
) {
  try {
    await handle(job.data);
    return { id: job.id, status: 'completed' as const };
  } catch (error) {
    log.error({ err: error, queue: job.name, job: job.data }, 'a job failed and will run again');
    return { id: job.id, status: 'failed' as const };
  }
}
