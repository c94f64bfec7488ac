/** Fewer leave no place for two tenants at once. */
export const MIN_CONNECTIONS = 6;

export interface Shares {
  /** Of requests and jobs. */
  pool: number;
  /** Of the queue itself, beside the pool. */
  queue: number;
}

/** What hears what other processes tell has one of its own, always. */
const LISTENER = 1;

const MOST_OF_QUEUE = 6;

/**
 * Divides the connections of one process.
 * @param total `DATABASE_CONNECTIONS`: no process ever holds more
 * @param isWorker works the queue; others only put jobs into it, in the pool's transactions
 */
export function shareConnections(total: number, isWorker: boolean): Shares {
  const queue = isWorker ? Math.min(MOST_OF_QUEUE, Math.max(1, Math.floor(total / 4))) : 1;
  return { pool: total - LISTENER - queue, queue };
}
