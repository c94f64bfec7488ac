import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { CounterDefinition, ProcessMetrics } from '../process-metrics.ts';

export const UNNAMED_PROXY: CounterDefinition = {
  name: 'sayso_unnamed_proxy_requests_total',
  help: 'Requests with X-Forwarded-For while TRUST_PROXY is empty: if most have it, all visitors count as one address',
  labelNames: [],
};

/** Whether a proxy, or a client that plays one, says who is behind it, and nothing says that it may be believed. */
export function isOfUnnamedProxy(
  { headers }: Pick<FastifyRequest, 'headers'>,
  { trustProxy }: Config,
): boolean {
  return trustProxy === null && headers['x-forwarded-for'] !== undefined;
}

/** Counts such requests, and logs the first: nothing else shows that visitors share their limits and their evidence. */
export function watchForUnnamedProxy(
  app: FastifyInstance,
  config: Config,
  { log, metrics }: { log: Log; metrics: ProcessMetrics },
): void {
  if (config.trustProxy !== null) return;
  let isLogged = false;
  function report(request: FastifyRequest): void {
    metrics.counter(UNNAMED_PROXY).inc();
    if (!isLogged) {
      log.warn(
        { from: request.raw.socket.remoteAddress },
        'TRUST_PROXY is empty, but a request came with X-Forwarded-For: if a proxy is in front of Sayso, all visitors count as ' +
          'one address, share its limits, and have it in their evidence. Set TRUST_PROXY to 1, or to the address of the proxy.',
      );
    }
    isLogged = true;
  }
  app.addHook('onRequest', (request, _reply, done) => {
    if (isOfUnnamedProxy(request, config)) report(request);
    done();
  });
}
