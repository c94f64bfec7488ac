import type { FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { evidenceOfAllSites } from '#server/features/evidence-checks/evidence-checks.ts';
import { notFound } from '#server/platform/errors.ts';
import { diskFull } from '#server/platform/http/problems.ts';
import type { Http } from '#server/platform/http/server.ts';
import { equalBytes } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';

function mayReadMetrics(request: FastifyRequest, { config }: Services): boolean {
  if (config.metricsToken === '') return !config.production;
  const given = Buffer.from(request.headers.authorization ?? '');
  return equalBytes(given, Buffer.from(`Bearer ${config.metricsToken}`));
}

/** For those who run the product: alive, ready, and how busy. */
export function healthRoutes(http: Http, services: Services): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer, by route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [registry],
  });
  http.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    durations.observe(
      { method: request.method, route, status: String(reply.statusCode) },
      reply.elapsedTime / 1000,
    );
  });

  http.get('/healthz', { schema: { hide: true } }, async () => ({ status: 'ok' }));

  http.get('/readyz', { schema: { hide: true } }, async () => {
    if (services.database.storage.isFull) throw diskFull();
    // Reads from the database: who cannot is not ready. Broken evidence takes nobody out of service, but it is said.
    return { status: 'ready', ...(await evidenceOfAllSites(services)) };
  });

  http.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    if (!mayReadMetrics(request, services)) throw notFound('This page');
    return reply
      .type(registry.contentType)
      .serializer((text: unknown) => String(text))
      .send(await registry.metrics());
  });
}
