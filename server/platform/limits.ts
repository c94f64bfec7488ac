import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Database } from './database.ts';
import { AppError } from './errors.ts';

export interface Limit {
  name: string;
  points: number;
  perSeconds: number;
}

export interface Limits {
  /**
   * Counts one use of `key` against each limit.
   * @throws AppError `rate_limited` with the seconds to wait
   */
  use(limit: Limit, key: string): Promise<void>;
}

/** Counters live in PostgreSQL, so that all processes share them. */
export function createLimits(database: Database): Limits {
  const limiters = new Map<string, RateLimiterPostgres>();

  function limiterOf(limit: Limit): RateLimiterPostgres {
    const known = limiters.get(limit.name);
    if (known !== undefined) return known;
    const limiter = new RateLimiterPostgres({
      storeClient: database.pool,
      storeType: 'pool',
      tableName: 'rate_limits',
      tableCreated: true,
      keyPrefix: limit.name,
      points: limit.points,
      duration: limit.perSeconds,
      // Refused keys are remembered in the process, so that a flood does not reach the database.
      inMemoryBlockOnConsumed: limit.points + 1,
      inMemoryBlockDuration: Math.min(limit.perSeconds, 60),
    });
    limiters.set(limit.name, limiter);
    return limiter;
  }

  return {
    async use(limit, key) {
      try {
        await limiterOf(limit).consume(key.slice(0, 200));
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        const seconds = Math.max(1, Math.ceil(error.msBeforeNext / 1000));
        throw new AppError('rate_limited', `Too many tries; wait ${seconds} seconds and try again.`, {
          retryAfterSeconds: seconds,
          data: { retry_after_seconds: seconds },
        });
      }
    },
  };
}
