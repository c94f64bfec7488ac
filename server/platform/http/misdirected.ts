import { isIP } from 'node:net';
import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { appHost, type Config } from '../config.ts';
import { isLocalName } from '../local-names.ts';
import type { Log } from '../log.ts';
import { hostName } from './headers.ts';

/** What a proxy calls the server behind it, where it doesn't pass on what the visitor asked for: an address, or a bare name. */
function isUpstreamName(name: string): boolean {
  const bare = name.replace(/^\[|\]$/g, '');
  return isIP(bare) !== 0 || !bare.includes('.');
}

const portOf = (host: string) => /:(\d+)$/.exec(host)?.[1] ?? '';

/** This machine's visitors may write 127.0.0.1 where APP_URL has localhost: no proxy is at the same port. */
function isSameTrial(host: string, app: string): boolean {
  return isLocalName(hostName(host)) && isLocalName(hostName(app)) && portOf(host) === portOf(app);
}

/** @returns whether the request came under a name that no visitor types, so that a redirect would lead back here */
function isMisdirected(host: string, app: string): boolean {
  const name = hostName(host);
  return host.toLowerCase() !== app && isUpstreamName(name) && !isSameTrial(host, app);
}

/**
 * For what is served by its host: a proxy that doesn't pass `Host` on would be redirected to itself without end, or find no page.
 * Answers 421 (RFC 9110, section 15.5.20) and logs the first time.
 */
export function refuseMisdirected({ config, log }: { config: Config; log: Log }): onRequestAsyncHookHandler {
  const app = appHost(config);
  let isLogged = false;
  return async (request: FastifyRequest, reply: FastifyReply) => {
    if (!isMisdirected(request.host, app)) return;
    const sentence =
      `This is Sayso at ${config.appUrl}, but the request is for the host "${request.host}": ` +
      'let the proxy in front of it pass on the Host header (nginx: proxy_set_header Host $http_host), or correct APP_URL.';
    if (!isLogged) log.warn({ host: request.host }, sentence);
    isLogged = true;
    return reply.code(421).type('text/plain; charset=utf-8').serializer(String).send(`${sentence}\n`);
  };
}
