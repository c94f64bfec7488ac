import type { AddressInfo } from 'node:net';
import { createApp } from './app.ts';
import { keepAppointments } from './features/customers/appointments.jobs.ts';
import { createCache } from './platform/cache.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import type { Config } from './platform/config.ts';
import { openDatabase } from './platform/database.ts';
import { createDns } from './platform/dns.ts';
import type { Http } from './platform/http/server.ts';
import { createLimits } from './platform/limits.ts';
import type { Log } from './platform/log.ts';
import { createMailer } from './platform/mail.ts';
import { createOutbound } from './platform/outbound.ts';
import { startQueue } from './platform/queue.ts';
import { listenToSignals } from './platform/signals.ts';
import { createKeyring } from './platform/secrets.ts';
import type { Services } from './platform/services.ts';
import { startWorkersWhenAllowed } from './workers.ts';

export interface Product {
  services: Services;
  http: Http;
  /** Starts to listen; gives the port. */
  listen(): Promise<number>;
  /** Ends what is in hand, then lets go of everything. */
  stop(): Promise<void>;
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
  const database = openDatabase(databaseUrl, {
    log,
    ...(connectWithinMs === undefined ? {} : { connectWithinMs }),
  });
  const signals = await listenToSignals(databaseUrl, log);
  const keyring = createKeyring(config.secretKeys);
  const services: Services = {
    config,
    database,
    log,
    clock,
    cache: createCache(signals),
    queue: await startQueue(databaseUrl, { log, worker: options.worker, signals, pool: database.pool }),
    mailer: createMailer(config, database, clock),
    outbound: createOutbound({ allowPrivateTargets: config.allowPrivateTargets }),
    dns: createDns(config.dnsServers),
    limits: createLimits(database, keyring),
    keyring,
  };
  // Before anybody is answered: an opt-out under another spelling of an address counts from the first moment.
  await keepAppointments(services, 'merge');
  const http = await createApp(services);
  const workers = options.worker ? await startWorkersWhenAllowed(services) : null;
  return {
    services,
    http,
    async listen() {
      await http.listen({ port: config.port, host: config.host });
      return (http.server.address() as AddressInfo).port;
    },
    async stop() {
      await http.close();
      services.dns.close();
      await workers?.stop();
      await services.queue.stop();
      await signals.close();
      services.outbound.close();
      await database.close();
    },
  };
}
