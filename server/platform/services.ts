import type { Cache } from './cache.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import type { Database } from './database.ts';
import type { Dns } from './dns.ts';
import type { ProcessMetrics } from './process-metrics.ts';
import type { Limits } from './request-limits.ts';
import type { Log } from './log.ts';
import type { Mailer } from './mail.ts';
import type { Outbound } from './outbound.ts';
import type { Queue } from './queue.ts';
import type { Keyring } from './secrets.ts';
import type { Pubsub } from './pubsub.ts';

/** What every module may use. */
export interface Services {
  config: Config;
  database: Database;
  cache: Cache;
  queue: Queue;
  pubsub: Pubsub;
  mailer: Mailer;
  outbound: Outbound;
  dns: Dns;
  limits: Limits;
  keyring: Keyring;
  clock: Clock;
  metrics: ProcessMetrics;
  log: Log;
}
