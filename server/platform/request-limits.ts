import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import type { Database } from './database.ts';
import { AppError } from './errors.ts';
import { type Keyring, sign } from './secrets.ts';
import { detached } from './tenant-budget.ts';

export interface Limit {
  name: string;
  points: number;
  perSeconds: number;
  /** What the caller did too often, as a sentence; otherwise it is an attempt. */
  exceeded?: string;
}

export interface Limits {
  /**
   * Counts one use of `key`, together with all other processes.
   * @throws AppError `rate_limited` with the seconds to wait
   */
  use(limit: Limit, key: string): Promise<void>;
  /**
   * Undoes a use that turned out to be harmless, such as a successful log-in. Never throws: the work is done, and an
   * extra use does less harm than reporting a failure.
   */
  giveBack(limit: Limit, key: string): Promise<void>;
  /** Like `use`, in this process only: for GET, which changes no row, and for saves, which get no round trip more. */
  useHere(limit: Limit, key: string): Promise<void>;
}

async function consume(limiter: RateLimiterAbstract, key: string, { exceeded }: Limit): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    const seconds = Math.max(1, Math.ceil(error.msBeforeNext / 1000));
    const wait = seconds === 1 ? '1 second' : `${seconds} seconds`;
    throw new AppError('rate_limited', `${exceeded ?? 'Too many attempts.'} Wait ${wait} and try again.`, {
      retryAfterSeconds: seconds,
      data: { retry_after_seconds: seconds },
    });
  }
}

/**
 * Counters live in PostgreSQL, so that all processes share them. Keys are personal data (addresses, IPs), so only a
 * keyed hash of them is stored.
 */
export function createLimits(database: Database, keyring: Keyring): Limits {
  const hashed = (key: string) =>
    sign(keyring.derive('rate-limits').key, Buffer.from(key, 'utf8'), 18).toString('base64url');

  const shared = new Map<string, RateLimiterAbstract>();
  const own = new Map<string, RateLimiterAbstract>();

  function limiterOf(
    limiters: Map<string, RateLimiterAbstract>,
    limit: Limit,
    make: () => RateLimiterAbstract,
  ): RateLimiterAbstract {
    const known = limiters.get(limit.name);
    if (known !== undefined) return known;
    // Its periodic cleanup outlives the request that first needed it.
    const limiter = detached(make);
    limiters.set(limit.name, limiter);
    return limiter;
  }

  function sharedLimiter(limit: Limit): RateLimiterAbstract {
    return new RateLimiterPostgres({
      // Counting, too, waits for a slot of the tenant.
      storeClient: {
        query: ({ text, values }: { text: string; values: unknown[] }) => database.global.query(text, values),
      },
      storeType: 'pool',
      tableName: 'rate_limits',
      tableCreated: true,
      keyPrefix: limit.name,
      points: limit.points,
      duration: limit.perSeconds,
      // Blocked keys are cached in the process, so that a flood does not reach the database.
      inMemoryBlockOnConsumed: limit.points + 1,
      inMemoryBlockDuration: Math.min(limit.perSeconds, 60),
    });
  }

  function ownLimiter(limit: Limit): RateLimiterAbstract {
    return new RateLimiterMemory({ keyPrefix: limit.name, points: limit.points, duration: limit.perSeconds });
  }

  return {
    use: (limit, key) =>
      consume(
        limiterOf(shared, limit, () => sharedLimiter(limit)),
        hashed(key),
        limit,
      ),
    async giveBack(limit, key) {
      await limiterOf(shared, limit, () => sharedLimiter(limit))
        .reward(hashed(key), 1)
        .catch(() => {});
    },
    useHere: (limit, key) =>
      consume(
        limiterOf(own, limit, () => ownLimiter(limit)),
        hashed(key),
        limit,
      ),
  };
}
