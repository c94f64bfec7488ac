import type { FastifyRequest } from 'fastify';
import { evidenceOfAllSites } from '#server/audience/evidence-checks/evidence-checks.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import { diskFull } from '#server/platform/http/problems.ts';
import type { Http } from '#server/platform/http/server.ts';
import { isOfUnnamedProxy } from '#server/platform/http/unnamed-proxy.ts';
import { areWorkersPaused } from '#server/platform/installation.ts';
import { equalBytes } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import type { Metrics } from './metrics.ts';

function mayReadMetrics(request: FastifyRequest, { config }: Services): boolean {
  if (config.metricsToken === '') return !config.production;
  const given = Buffer.from(request.headers.authorization ?? '');
  return equalBytes(given, Buffer.from(`Bearer ${config.metricsToken}`));
}

/** The state of the process, shared by all ports. */
export interface Health {
  metrics: Metrics;
  /** It finishes open requests and wants no new ones. */
  isDraining: () => boolean;
}

/**
 * Liveness, readiness and metrics, for operators.
 * @param isOwnPort the separate port, which only operators reach, so that metrics need no token
 */
export function healthRoutes(
  http: Http,
  services: Services,
  { metrics, isDraining }: Health,
  { isOwnPort }: { isOwnPort: boolean },
): void {
  function refuseIfDraining(): void {
    if (isDraining()) throw new AppError('unavailable', 'This process is shutting down.');
  }

  // For proxies: it succeeds as long as the process takes requests, even while the database is away.
  http.get('/healthz', { schema: { hide: true } }, async () => {
    refuseIfDraining();
    return { status: 'ok' };
  });

  http.get('/readyz', { schema: { hide: true } }, async (request) => {
    refuseIfDraining();
    if (services.database.storage.isFull) throw diskFull();
    // Reads from the database: a process that cannot is not ready. Broken evidence is reported, but keeps it in
    // service.
    const [evidence, isPaused] = await Promise.all([
      evidenceOfAllSites(services),
      areWorkersPaused(services.database.global),
    ]);
    return {
      status: 'ready',
      workers: isPaused ? 'paused' : 'allowed',
      ...evidence,
      ...(isOfUnnamedProxy(request, services.config) ? { proxy: 'unnamed: set TRUST_PROXY' } : {}),
    };
  });

  http.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    if (!isOwnPort && !mayReadMetrics(request, services)) throw notFound('This page');
    return reply
      .type(metrics.contentType)
      .serializer((text: unknown) => String(text))
      .send(await metrics.text());
  });
}
