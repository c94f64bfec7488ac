import type { FastifyRequest } from 'fastify';
import * as contract from '#contract/images.ts';
import type { Api } from '#server/accounts/access/access.ts';
import { findSiteOfHost } from '#server/accounts/sites/hosts.ts';
import { isTakenDown } from '#server/accounts/sites/sites.ts';
import { appHost } from '#server/platform/config.ts';
import { notFound } from '#server/platform/errors.ts';
import { hostName } from '#server/platform/http/headers.ts';
import type { Http } from '#server/platform/http/server.ts';
import { isId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { addImage, readImage } from './images.ts';

type ImageRequest = FastifyRequest<{ Params: { file: string }; Querystring: { site?: unknown } }>;

export function imageRoutes(api: Api, services: Services): void {
  api(contract.uploadImage, async ({ site, query, file }) => addImage(services, site.id, query.kind, file));
}

/** Serves images on the site's own host and, for the editor's preview, on the app host with `?site=`. */
export function imageFileRoutes(http: Http, services: Services): void {
  const ownHost = hostName(appHost(services.config));

  async function siteOf(request: ImageRequest): Promise<string | null> {
    const host = hostName(request.host);
    const { site } = request.query;
    const named = typeof site === 'string' && isId(site) ? site : null;
    const siteId = host === ownHost ? named : await findSiteOfHost(services, host);
    return siteId === null || (await isTakenDown(services, siteId)) ? null : siteId;
  }

  http.get('/images/:file', { schema: { hide: true } }, async (request: ImageRequest, reply) => {
    const siteId = await siteOf(request);
    const image = siteId === null ? null : await readImage(services, siteId, request.params.file);
    if (image === null) throw notFound('This image');
    reply
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('etag', image.etag)
      .header('content-security-policy', "default-src 'none'; sandbox")
      .header('cross-origin-resource-policy', 'cross-origin');
    if (request.headers['if-none-match'] === image.etag) return reply.code(304).send();
    return reply.type(image.type).send(image.bytes);
  });
}
