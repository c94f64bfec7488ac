import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { isConnectTimeout, isStalePlan, isTooManyConnections, queryTimeoutOf } from './database-errors.ts';
import type { Log } from './log.ts';
import { type Storage, watchStorage } from './storage.ts';
import { createBudget } from './tenant-budget.ts';

export type Client = pg.PoolClient;

/** Queries that leave in one write; the driver alone would write each of them to the socket. */
export function inOneWrite<T>(client: Client, query: () => T): T {
  const { stream } = (client as Client & { connection: pg.Connection }).connection;
  stream.cork();
  try {
    return query();
  } finally {
    stream.uncork();
  }
}

/** The connections of this process, each held for one tenant at a time. */
export interface TenantPool {
  readonly pool: pg.Pool;
  readonly storage: Storage;
  /**
   * Gives work a connection, which it has to release; it counts for a tenant, whose flood waits here, where it holds none.
   * @param tenant null: counts for nobody
   */
  withClient: <T>(tenant: string | null, work: (client: Client) => Promise<T>) => Promise<T>;
  /** What was refused for a stale plan was rolled back as a whole: it is done once more, on a new connection. */
  replanned: <T>(run: () => Promise<T>) => Promise<T>;
  close(): Promise<void>;
}

export interface PoolOptions {
  log: Log;
  maxConnections?: number;
  /** For commands, which nobody waits for a second for. */
  connectWithinMs?: number;
}

/** By this name the database shows the pool's connections, where the URL gives them no other. */
export const APPLICATION = 'sayso';

const MAX_CONNECTIONS = 16;

/** The promise is 503 within a second when the database is away. */
const CONNECT_WITHIN_MS = 900;

/** A timeout that comes so much too late says that this process was held up, and nothing about the database. */
const HELD_UP_MS = 250;

/** A database that has no connection to spare is asked again this soon. */
const TRY_AGAIN_MS = 100;

/** Connections that the budget leaves for the queue, for health checks and for work inside of work. */
const SPARE_CONNECTIONS = 2;

/** Of one tenant; decision 025 has what more and fewer of them cost. */
const CONNECTIONS_OF_TENANT = 4;

const MAX_WAIT_MS = 20_000;

/**
 * Of a statement: a machine that has vanished closes no connection. As long, the database keeps the locks of a transaction
 * whose process doesn't say anything, because it has vanished, too.
 */
const ANSWER_WITHIN_MS = 15_000;

/**
 * A connection that is quiet for this long is probed by the system: with this delay, Node asks every second, ten times
 * (https://nodejs.org/api/net.html#socketsetkeepaliveenable-initialdelay). Without one, Linux waits for two hours.
 */
const PROBE_AFTER_MS = 5_000;

/** Well below the longest wait: where processes share few connections, one that waits gets what another leaves idle. */
const IDLE_CONNECTION_MS = 5_000;

export function openPool(url: string, options: PoolOptions): TenantPool {
  const connectWithinMs = options.connectWithinMs ?? CONNECT_WITHIN_MS;
  const maxConnections = options.maxConnections ?? MAX_CONNECTIONS;
  const pool = connectionsTo(url, maxConnections, { ...options, connectWithinMs });
  const storage = watchStorage(pool, options.log);
  const generations = createGenerations(pool);
  const budget = createBudget({
    total: Math.max(1, maxConnections - SPARE_CONNECTIONS),
    each: CONNECTIONS_OF_TENANT,
    waitMs: MAX_WAIT_MS,
  });
  let answeredAt = Number.NEGATIVE_INFINITY;

  /**
   * A database that says so itself, or that answered somebody meanwhile, is not away: it is only busy. Nor is one whose
   * answer this process was too busy to read: timers run before what has come over the network is read.
   */
  function isBusy(error: unknown, triedFor: number): boolean {
    if (isTooManyConnections(error)) return true;
    if (!isConnectTimeout(error)) return false;
    return answeredAt >= performance.now() - CONNECT_WITHIN_MS || triedFor > connectWithinMs + HELD_UP_MS;
  }

  async function connect(): Promise<Client> {
    const giveUpAt = performance.now() + MAX_WAIT_MS;
    for (;;) {
      const beganAt = performance.now();
      try {
        const client = await pool.connect();
        if (generations.isCurrent(client)) return client;
        client.release(true);
      } catch (error) {
        if (!isBusy(error, performance.now() - beganAt) || performance.now() > giveUpAt) throw error;
        await sleep(TRY_AGAIN_MS);
      }
    }
  }

  return {
    pool,
    storage,
    replanned: generations.replanned,
    withClient: (tenant, work) =>
      budget.run(tenant, async () => {
        let client: Client;
        try {
          client = await connect();
        } catch (error) {
          // Everybody who waits would find out the same, one after the other.
          budget.refuseWaiting(error as Error);
          throw error;
        }
        const beganAt = performance.now();
        try {
          const result = await work(client);
          answeredAt = performance.now();
          return result;
        } catch (error) {
          storage.notice(error);
          // Its rows may be on a machine that has vanished: the others of this tenant would wait as long, one after the other.
          const timeout = queryTimeoutOf(error);
          if (timeout !== null && tenant !== null) budget.refuseWaitingOf(tenant, beganAt, timeout);
          throw error;
        }
      }),
    close() {
      storage.stop();
      return pool.end();
    },
  };
}

function connectionsTo(
  url: string,
  max: number,
  { log, connectWithinMs }: Pick<PoolOptions, 'log'> & { connectWithinMs: number },
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    fallback_application_name: APPLICATION,
    // Kept: who comes to a quiet process need not wait for a new one.
    min: 1,
    max,
    connectionTimeoutMillis: connectWithinMs,
    query_timeout: ANSWER_WITHIN_MS,
    idle_in_transaction_session_timeout: ANSWER_WITHIN_MS,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: PROBE_AFTER_MS,
    pipeline: true,
  });
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection was lost'));
  // One that is lost while it is in use says so by the statement that it was sent.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Connections of an earlier generation have prepared what the tables no longer are. */
function createGenerations(pool: pg.Pool) {
  let generation = 0;
  const generationOf = new WeakMap<pg.Client, number>();
  pool.on('connect', (client) => void generationOf.set(client, generation));

  async function replanned<T>(run: () => Promise<T>): Promise<T> {
    const beganIn = generation;
    try {
      return await run();
    } catch (error) {
      if (!isStalePlan(error)) throw error;
      if (beganIn === generation) generation += 1;
      return run();
    }
  }

  return { replanned, isCurrent: (client: Client) => generationOf.get(client) === generation };
}
