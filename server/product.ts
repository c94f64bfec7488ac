import type { AddressInfo } from 'node:net';
import { createApp, createHealthPort } from './app.ts';
import { storeEvidenceKeys } from './audience/evidence-heads/evidence-keys.ts';
import { startBackground } from './background.ts';
import { SAVES } from './choices/choices/choices.metrics.ts';
import { ATTEMPTS, ENDED_DELIVERIES, UNRECORDED } from './delivery/deliveries/deliveries.metrics.ts';
import { createCache } from './platform/cache.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import type { Config } from './platform/config.ts';
import { shareConnections } from './platform/connection-shares.ts';
import { openDatabase } from './platform/database.ts';
import { createDns } from './platform/dns.ts';
import { createProcessMetrics, type ProcessMetrics } from './platform/process-metrics.ts';
import { BLOCKS } from './platform/http/event-loop.ts';
import { UNNAMED_PROXY } from './platform/http/unnamed-proxy.ts';
import type { Http } from './platform/http/server.ts';
import { createLimits } from './platform/request-limits.ts';
import type { Log } from './platform/log.ts';
import { createMailer, MailError, type Mailer } from './platform/mail.ts';
import { createOutbound } from './platform/outbound.ts';
import { startQueue } from './platform/queue.ts';
import { createKeyring } from './platform/secrets.ts';
import type { Services } from './platform/services.ts';
import { openPubsub, publishStatement } from './platform/pubsub.ts';
import { createMetrics } from './shell/system/metrics.ts';
import { runCustomerTimers } from './visit/customers/customer-timers.jobs.ts';

const STORAGE_FULL = 'storage-full';

export interface Product {
  services: Services;
  http: Http;
  /** Starts to listen; gives the port. A worker has only its health port, if any. */
  listen(): Promise<number>;
  /** From now on it asks for no more requests, and answers those that come all the same. */
  drain(): void;
  /** Ends what is in hand, then lets go of everything. */
  stop(): Promise<void>;
}

function countMails(mailer: Mailer, { emails }: ProcessMetrics): Mailer {
  return {
    ...mailer,
    async send(mail) {
      try {
        const reply = await mailer.send(mail);
        emails.inc({ outcome: reply === null ? 'kept' : 'sent' });
        return reply;
      } catch (error) {
        emails.inc({ outcome: error instanceof MailError ? error.kind : 'away' });
        throw error;
      }
    },
  };
}

/**
 * Puts the parts together.
 * @param config with its secret keys filled in
 * @param databaseUrl connection of the server's own role, from `migrate`
 */
export async function createProduct(
  config: Config,
  databaseUrl: string,
  options: { log: Log; clock?: Clock; worker: boolean; connectWithinMs?: number },
): Promise<Product> {
  const { log, connectWithinMs } = options;
  const clock = options.clock ?? systemClock;
  const shares = shareConnections(config.databaseConnections, options.worker);
  const database = openDatabase(databaseUrl, {
    log,
    maxConnections: shares.pool,
    ...(connectWithinMs === undefined ? {} : { connectWithinMs }),
  });
  const pubsub = await openPubsub(databaseUrl, log);
  const keyring = createKeyring(config.secretKeys);
  const metrics = createProcessMetrics([
    SAVES,
    ATTEMPTS,
    ENDED_DELIVERIES,
    UNRECORDED,
    BLOCKS,
    UNNAMED_PROXY,
  ]);
  const services: Services = {
    config,
    database,
    log,
    clock,
    metrics,
    pubsub,
    cache: createCache(pubsub),
    queue: await startQueue(databaseUrl, {
      log,
      worker: options.worker,
      pubsub,
      pool: database.pool,
      connections: shares.queue,
    }),
    mailer: countMails(createMailer(config, database, clock), metrics),
    outbound: createOutbound({ allowPrivateTargets: config.allowPrivateTargets }),
    dns: createDns(config.dnsServers),
    limits: createLimits(database, keyring),
    keyring,
  };
  database.storage.onFull(() => {
    const { sql, parameters } = publishStatement(STORAGE_FULL, '');
    database.pool.query(sql, parameters).catch(() => {});
  });
  // The first process to notice tells the others, so that all answer the same.
  pubsub.on(STORAGE_FULL, () => void database.storage.check());
  await database.storage.check();
  // Before anybody is answered: an opt-out under another spelling of an address counts from the first moment.
  await runCustomerTimers(services, 'merge');
  await storeEvidenceKeys(services);
  const drain = { isOn: false };
  const health = { metrics: createMetrics(services), isDraining: () => drain.isOn };
  const http = await createApp(services, health);
  const healthPort = config.healthPort > 0 ? await createHealthPort(services, health) : null;
  const background = await startBackground(services, options);
  return {
    services,
    http,
    async listen() {
      if (healthPort !== null) await healthPort.listen({ port: config.healthPort, host: config.host });
      if (config.role === 'worker') return config.healthPort;
      await http.listen({ port: config.port, host: config.host });
      return (http.server.address() as AddressInfo).port;
    },
    drain() {
      drain.isOn = true;
    },
    async stop() {
      drain.isOn = true;
      await http.close();
      await healthPort?.close();
      services.dns.close();
      await background.stop();
      await services.queue.stop();
      await pubsub.close();
      services.outbound.close();
      await database.close();
    },
  };
}
