import type { FastifyError, FastifyRequest } from 'fastify';
import * as contract from '#contract/inbound.ts';
import type { Api } from '#server/accounts/access/access.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import { toAppError } from '#server/platform/http/problems.ts';
import { type Http, sendError } from '#server/platform/http/server.ts';
import type { Services } from '#server/platform/services.ts';
import { attributeToTenant } from '#server/platform/tenant-budget.ts';
import { siteOfHook } from '#server/tools/integrations/hook-address.ts';
import { listInbound } from './inbound.ts';
import { receive, requireHook } from './receive.ts';

const MAX_BODY_BYTES = 1024 * 1024;

type HookRequest = FastifyRequest<{ Params: { integration: string; secret: string } }>;

export function inboundRoutes(api: Api, services: Services): void {
  api(contract.listInbound, async ({ site, params, query }) =>
    listInbound(services, site.id, params.id, query),
  );
}

function headersOf(request: FastifyRequest): Record<string, string> {
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return Object.fromEntries(headers) as Record<string, string>;
}

function refusalOf(error: Partial<FastifyError>): AppError {
  if (error.code !== 'FST_ERR_CTP_BODY_TOO_LARGE') return toAppError(error);
  return new AppError('body_too_large', 'The body is larger than 1 MB. Send less at a time.');
}

/** The webhook endpoint for tools. GET and HEAD only confirm that the URL is valid. */
export function hookRoutes(http: Http, services: Services): void {
  void http.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES },
      (_request, body, done) => done(null, body),
    );
    scope.setErrorHandler((error, request, reply) =>
      sendError(request, reply, refusalOf(error as Partial<FastifyError>)),
    );
    const options = {
      schema: { hide: true },
      // The body is not read unless the URL is valid.
      onRequest: async (request: FastifyRequest) => {
        const { integration, secret } = (request as HookRequest).params;
        const siteId = siteOfHook(services, integration, secret);
        if (siteId === null) throw notFound('This URL');
        attributeToTenant('site', siteId);
      },
    };

    scope.get('/hooks/:integration/:secret', options, async (request: HookRequest, reply) => {
      await requireHook(services, request.params);
      return reply.header('cache-control', 'no-store').type('text/plain; charset=utf-8').send('');
    });

    scope.post('/hooks/:integration/:secret', options, async (request: HookRequest, reply) => {
      const integration = await requireHook(services, request.params);
      const rawBody = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      await receive(services, integration, { headers: headersOf(request), rawBody });
      return reply.header('cache-control', 'no-store').type('text/plain; charset=utf-8').send('');
    });
  });
}
