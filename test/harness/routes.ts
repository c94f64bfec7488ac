import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance, RouteOptions } from 'fastify';

/** One method and path that a server answers. */
export interface RegisteredRoute {
  method: string;
  /** As the router has it, with `:name` for parameters. */
  path: string;
}

const CHANNEL = 'fastify.initialization';

/**
 * Writes down every route of the servers that `start` makes, also those of plug-ins: Fastify tells about each
 * new server before anything is on it.
 */
export async function collectRoutes<T>(
  start: () => Promise<T>,
): Promise<{ started: T; routes: RegisteredRoute[] }> {
  const routes: RegisteredRoute[] = [];
  const onServer = (message: unknown) => {
    (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', (route: RouteOptions) => {
      for (const method of [route.method].flat()) routes.push({ method, path: route.url });
    });
  };
  subscribe(CHANNEL, onServer);
  try {
    return { started: await start(), routes };
  } finally {
    unsubscribe(CHANNEL, onServer);
  }
}
