/** With fewer, two tenants could not work at the same time. */
export const MIN_CONNECTIONS = 6;

export interface Shares {
  /** For requests and jobs. */
  pool: number;
  /** For the queue itself, beside the pool. */
  queue: number;
}

/** The LISTEN connection. */
const LISTENER = 1;

const MOST_OF_QUEUE = 6;

/**
 * Divides the connections of a process.
 * @param total `DATABASE_CONNECTIONS`, the maximum per process
 * @param isWorker whether it works the queue; other processes only enqueue, in the pool's transactions
 */
export function shareConnections(total: number, isWorker: boolean): Shares {
  const queue = isWorker ? Math.min(MOST_OF_QUEUE, Math.max(1, Math.floor(total / 4))) : 1;
  return { pool: total - LISTENER - queue, queue };
}
