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

const routeOf = ({ method, routeOptions: { url } }: FastifyRequest) => `${method} ${url ?? 'none'}`;

/**
 * Counts and logs each time that the event loop stood still because of our own work, with the routes that were asked for
 * meanwhile: one of them did it. A machine that is busy with other things is not ours to report.
 */
export function watchEventLoop(
  app: FastifyInstance,
  { log, metrics }: { log: Log; metrics: ProcessMetrics },
): void {
  const underWay = new Set<FastifyRequest>();
  /** The routes of requests that were answered since the last look. The requests themselves would be garbage by now. */
  const answered = new Set<string>();
  let last = { at: performance.now(), cpu: cpuMs() };

  app.addHook('onRequest', (request, _reply, done) => {
    underWay.add(request);
    done();
  });
  app.addHook('onResponse', (request, _reply, done) => {
    underWay.delete(request);
    answered.add(routeOf(request));
    done();
  });

  const looking = setInterval(() => {
    const now = { at: performance.now(), cpu: cpuMs() };
    const ms = Math.round(now.at - last.at - LOOK_EVERY_MS);
    const isOurs = now.cpu - last.cpu >= BLOCKED_MS;
    last = now;
    if (ms >= BLOCKED_MS && isOurs) {
      const routes = new Set([...answered, ...Array.from(underWay, routeOf)]);
      metrics.counter(BLOCKS).inc();
      log.warn({ ms, routes: [...routes] }, 'the server answered nobody for a while');
    }
    answered.clear();
  }, LOOK_EVERY_MS).unref();
  app.addHook('onClose', async () => clearInterval(looking));
}
