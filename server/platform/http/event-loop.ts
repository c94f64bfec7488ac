import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Log } from '#server/platform/log.ts';
import type { CounterDefinition, ProcessMetrics } from '#server/platform/process-metrics.ts';

export const BLOCKS: CounterDefinition = {
  name: 'sayso_event_loop_blocks_total',
  help: 'How often this process worked for over 250 ms without answering anyone',
  labelNames: [],
};

const LOOK_EVERY_MS = 50;
const BLOCKED_MS = 250;

const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/**
 * Counts and logs each time that the event loop stood still because of our own work, with the routes that were asked for
 * meanwhile: one of them did it. A machine that is busy with other things is not ours to report.
 */
export function watchEventLoop(
  app: FastifyInstance,
  { log, metrics }: { log: Log; metrics: ProcessMetrics },
): void {
  const underWay = new Set<FastifyRequest>();
  /** Since the last look, also those that are answered already. */
  let recent = new Set<FastifyRequest>();
  let last = { at: performance.now(), cpu: cpuMs() };

  app.addHook('onRequest', async (request) => {
    underWay.add(request);
    recent.add(request);
  });
  app.addHook('onResponse', async (request) => void underWay.delete(request));

  const looking = setInterval(() => {
    const now = { at: performance.now(), cpu: cpuMs() };
    const ms = Math.round(now.at - last.at - LOOK_EVERY_MS);
    const isOurs = now.cpu - last.cpu >= BLOCKED_MS;
    last = now;
    if (ms >= BLOCKED_MS && isOurs) {
      const routes = new Set(
        [...recent].map(({ method, routeOptions: { url } }) => `${method} ${url ?? 'none'}`),
      );
      metrics.counter(BLOCKS).inc();
      log.warn({ ms, routes: [...routes] }, 'the server answered nobody for a while');
    }
    recent = new Set(underWay);
  }, LOOK_EVERY_MS).unref();
  app.addHook('onClose', async () => clearInterval(looking));
}
