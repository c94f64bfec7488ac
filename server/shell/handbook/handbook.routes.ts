import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fastifyStatic from '@fastify/static';
import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { appHost } from '#server/platform/config.ts';
import type { Http } from '#server/platform/http/server.ts';
import type { Services } from '#server/platform/services.ts';
import { handbookDocument, HANDBOOK_POLICY, notFoundDocument, readAssets } from './document.ts';
import { coverMarkdown, HANDBOOK_PATH, llmsText, PICTURES, readHandbook } from './handbook.ts';

const ROOT = join(import.meta.dirname, '../../..');
const HTML = 'text/html; charset=utf-8';
const MARKDOWN = 'text/markdown; charset=utf-8';
const LLMS_PATH = '/llms.txt';

/** A static response, ready to be sent. */
interface Kept {
  type: string;
  text: string;
  zipped: Buffer;
  etag: string;
}

function keep(type: string, text: string): Kept {
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 22);
  return { type, text, zipped: gzipSync(text), etag: `W/"${hash}"` };
}

interface KeptHandbook {
  /** By path: every page as HTML and as Markdown. */
  pages: Map<string, Kept>;
  search: Kept;
  llms: Kept;
  missing: Kept;
}

function keepHandbook(appUrl: string): KeptHandbook {
  const handbook = readHandbook();
  const assets = readAssets();
  return {
    pages: new Map(
      handbook.pages.flatMap((page) => [
        [page.url, keep(HTML, handbookDocument(handbook, page, assets))],
        [page.markdownUrl, keep(MARKDOWN, page === handbook.cover ? coverMarkdown(handbook) : page.markdown)],
      ]),
    ),
    search: keep('application/json; charset=utf-8', JSON.stringify(handbook.search)),
    llms: keep('text/plain; charset=utf-8', llmsText(handbook, appUrl)),
    missing: keep(HTML, notFoundDocument(handbook, assets)),
  };
}

function send(request: FastifyRequest, reply: FastifyReply, one: Kept, status = 200): FastifyReply {
  reply
    .header('cache-control', 'public, no-cache')
    .header('etag', one.etag)
    .header('vary', 'accept-encoding')
    .header('content-security-policy', HANDBOOK_POLICY);
  const known = (request.headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim());
  if (status === 200 && known.includes(one.etag)) return reply.code(304).send();
  reply.code(status).type(one.type);
  if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? ''))
    return reply.serializer(String).send(one.text);
  return reply.header('content-encoding', 'gzip').send(one.zipped);
}

/**
 * The handbook, on the app host; other hosts redirect there.
 * @param onRequest refuses a host that would be redirected to itself
 */
export async function handbookRoutes(
  http: Http,
  { config }: Services,
  onRequest: onRequestAsyncHookHandler,
): Promise<void> {
  const constraints = { host: appHost(config) };
  const here = { schema: { hide: true }, constraints };
  let kept: KeptHandbook | undefined;
  /** Rendered at the first request, so that it does not slow the start. */
  const handbook = () => (kept ??= keepHandbook(config.appUrl));
  const icon = keep('image/svg+xml', readFileSync(join(ROOT, 'web/owner/icon.svg'), 'utf8'));

  const common = { decorateReply: false, index: false, schemaHide: true, constraints } as const;
  await http.register(fastifyStatic, {
    ...common,
    root: join(ROOT, 'dist/handbook/assets'),
    prefix: `${HANDBOOK_PATH}/assets/`,
    preCompressed: true,
    immutable: true,
    maxAge: '1y',
  });
  await http.register(fastifyStatic, {
    ...common,
    root: PICTURES,
    prefix: `${HANDBOOK_PATH}/pictures/`,
    maxAge: '1h',
  });

  http.get(`${HANDBOOK_PATH}/icon.svg`, here, async (request, reply) => send(request, reply, icon));
  http.get(`${HANDBOOK_PATH}/search.json`, here, async (request, reply) =>
    send(request, reply, handbook().search),
  );
  http.get(LLMS_PATH, here, async (request, reply) => send(request, reply, handbook().llms));
  // Not served in place: its links are relative to the handbook.
  http.get(`${HANDBOOK_PATH}.md`, here, async (_request, reply) =>
    reply.redirect(`${HANDBOOK_PATH}/index.md`, 301),
  );
  http.get(`${HANDBOOK_PATH}/`, here, async (_request, reply) => reply.redirect(HANDBOOK_PATH, 301));

  const sendPage = async (request: FastifyRequest, reply: FastifyReply) => {
    const { pages, missing } = handbook();
    const page = pages.get(request.url.split('?', 1)[0] ?? '');
    return page === undefined ? send(request, reply, missing, 404) : send(request, reply, page);
  };
  const toApp = async (request: FastifyRequest, reply: FastifyReply) =>
    reply.redirect(`${config.appUrl}${request.url.startsWith('/') ? request.url : HANDBOOK_PATH}`, 302);
  for (const path of [HANDBOOK_PATH, `${HANDBOOK_PATH}/*`]) {
    http.get(path, here, sendPage);
    http.get(path, { schema: { hide: true }, onRequest }, toApp);
  }
}
