import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import { pooledRandom } from '#server/platform/random.ts';
import type { PageAssets, renderDocument } from '#web/page/server.tsx';
import type { PageStep, PageView } from '#web/page/view.ts';

const DIST = join(import.meta.dirname, '../../../dist');
const NOT_BUILT = '<!doctype html><title>Sayso</title><p>The page is not built yet. Run `npm run build`.';

/**
 * Placeholder for the nonce in cached documents; every response gets a fresh nonce. No text of an owner or visitor can
 * collide with it: it is random at each start, and never leaves the server.
 */
const NONCE_MARK = `nonce-${randomBytes(16).toString('hex')}`;

export type Render = (view: PageView) => string;

const NONCE = Symbol('nonce');

/**
 * A document split where the nonce belongs. Cached pieces are bytes, because encoding the page was the most expensive
 * part of each response.
 */
export type Document = readonly (Buffer | typeof NONCE)[];

/** @param html of `Render`, or a part of it */
export function splitAtNonce(html: string): Document {
  return html
    .split(NONCE_MARK)
    .flatMap((part, index) => (index === 0 ? [Buffer.from(part)] : [NONCE, Buffer.from(part)]));
}

interface Built {
  renderDocument: typeof renderDocument;
}

function assetsOf(): PageAssets {
  const manifest = JSON.parse(readFileSync(join(DIST, 'page/manifest.json'), 'utf8')) as Record<
    string,
    { file: string; isEntry?: boolean }
  >;
  const files = Object.values(manifest).map(({ file }) => file);
  const script = Object.values(manifest).find(({ isEntry }) => isEntry)?.file ?? '';
  const style = files.find((file) => file.endsWith('.css'));
  return {
    script: `/${script}`,
    // Inlined, so that the first view needs only one response.
    style: style === undefined ? '' : readFileSync(join(DIST, 'page', style), 'utf8').trim(),
  };
}

/** The renderer built by `npm run build`; its documents contain a placeholder for the nonce. */
export async function loadRenderer(): Promise<Render> {
  const file = join(DIST, 'page-ssr/server.js');
  if (!existsSync(file) || !existsSync(join(DIST, 'page/manifest.json'))) return () => NOT_BUILT;
  const built = (await import(pathToFileURL(file).href)) as Built;
  const assets = assetsOf();
  return (view) => built.renderDocument(view, assets, NONCE_MARK);
}

function contentSecurityPolicy(nonce: string, embedOrigins: readonly string[]): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${embedOrigins.length === 0 ? "'none'" : embedOrigins.join(' ')}`,
  ].join('; ');
}

/** The HTTP status of each step, unless something else went wrong. */
export const STEP_STATUS: Record<PageStep, number> = {
  form: 200,
  preferences: 200,
  leave: 200,
  'link-sent': 200,
  confirm: 200,
  report: 200,
  'taken-down': 410,
  'link-void': 410,
  'not-found': 404,
  'rate-limited': 429,
  unavailable: 503,
};

const gzipped = promisify(gzip);

/**
 * Pages must not be cached for somebody else, and every nonce is used once. Compression is safe (BREACH): secrets in a
 * document are encrypted again each time.
 * @param embedOrigins the sites that may frame this document; if empty, none may
 */
export async function sendDocument(
  reply: FastifyReply,
  status: number,
  document: Document,
  embedOrigins: readonly string[] = [],
): Promise<FastifyReply> {
  const nonce = pooledRandom(16).toString('base64');
  const written = Buffer.from(nonce);
  const html = Buffer.concat(document.map((piece) => (piece === NONCE ? written : piece)));
  reply
    .code(status)
    .type('text/html; charset=utf-8')
    .header('cache-control', 'private, no-store')
    .header('vary', 'accept-language, accept-encoding')
    .header('x-robots-tag', 'noindex, nofollow')
    .header('content-security-policy', contentSecurityPolicy(nonce, embedOrigins))
    .serializer(String);
  // X-Frame-Options cannot name origins, and old browsers obey it despite the policy.
  if (embedOrigins.length > 0) reply.removeHeader('x-frame-options');
  if (!/\bgzip\b/.test(reply.request.headers['accept-encoding'] ?? '')) return reply.send(html);
  return reply.header('content-encoding', 'gzip').send(await gzipped(html, { level: 5 }));
}
