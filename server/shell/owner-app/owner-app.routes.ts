import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyReply, onRequestAsyncHookHandler } from 'fastify';
import { isGoogle } from '#server/accounts/accounts/google-identity.ts';
import { appHost } from '#server/platform/config.ts';
import type { Http } from '#server/platform/http/server.ts';
import type { Services } from '#server/platform/services.ts';
import { OWNER_APP_PATHS } from './owner-app.paths.ts';

const DIST = join(import.meta.dirname, '../../../dist');

/** Only Google opens its popup from here; other issuers use a redirect. */
function usesPopup({ config }: Services): boolean {
  return config.google !== null && isGoogle(config.google);
}

/**
 * Google sign-in and the chat are external, and allowed only if they are set up. Our own style elements carry the
 * nonce; the chat's do not, so with a chat, style elements need none.
 */
function contentSecurityPolicy(services: Services, nonce: string): string {
  const { config } = services;
  const google = usesPopup(services) ? ' https://accounts.google.com' : '';
  const chat = config.chat === null ? '' : ` ${new URL(config.chat.scriptUrl).origin}`;
  const pictures = config.google === null ? '' : ' https://*.googleusercontent.com';
  return [
    "default-src 'self'",
    `script-src 'self'${google}${chat}`,
    `style-src 'self' 'nonce-${nonce}'`,
    ...(chat === '' ? [] : [`style-src-elem 'self'${chat} 'unsafe-inline'`]),
    `img-src 'self' data:${pictures}${chat}`,
    `connect-src 'self'${google}${chat}`,
    `frame-src${google}${chat}${google === '' && chat === '' ? " 'none'" : ''}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "object-src 'none'",
  ].join('; ');
}

/**
 * Serves the owner app on the app host; other hosts redirect there.
 * @param onRequest refuses a host that would be redirected to itself
 */
export async function ownerAppRoutes(
  http: Http,
  services: Services,
  onRequest: onRequestAsyncHookHandler,
): Promise<void> {
  const { config } = services;
  const host = appHost(config);
  const file = join(DIST, 'owner/index.html');
  const html = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const [beforeNonce = '', afterNonce = ''] = html.split(/(?<=<head>)/);
  // The popup has to reach its opener. Any screen can navigate to the log-in without a reload, so this covers all.
  const openerPolicy = config.google === null ? 'same-origin' : 'same-origin-allow-popups';

  function sendApp(reply: FastifyReply, status: number): FastifyReply {
    const nonce = randomBytes(16).toString('base64');
    return reply
      .code(status)
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-cache')
      .header('content-security-policy', contentSecurityPolicy(services, nonce))
      .header('cross-origin-opener-policy', openerPolicy)
      .serializer(String)
      .send(`${beforeNonce}<meta property="csp-nonce" nonce="${nonce}">${afterNonce}`);
  }

  await http.register(fastifyStatic, {
    root: [join(DIST, 'owner/assets'), join(DIST, 'page/assets')],
    // Its own routes read the whole folder for each request, which took most of a screen's load.
    serve: false,
    preCompressed: true,
    immutable: true,
    maxAge: '1y',
  });
  http.get<{ Params: { '*': string } }>('/assets/*', { schema: { hide: true } }, async (request, reply) =>
    reply.sendFile(request.params['*']),
  );

  for (const path of OWNER_APP_PATHS) {
    http.get(path, { schema: { hide: true }, constraints: { host } }, async (_request, reply) =>
      sendApp(reply, 200),
    );
    http.get(path, { schema: { hide: true }, onRequest }, async (request, reply) =>
      // The request target may be an absolute URL; the redirect stays on the app host.
      reply.redirect(`${config.appUrl}${request.url.startsWith('/') ? request.url : path}`, 302),
    );
  }
  // Unknown paths, including /404, show the app's own "not found" screen.
  http.get('/*', { schema: { hide: true }, constraints: { host } }, async (_request, reply) =>
    sendApp(reply, 404),
  );
}
