import type { FastifyRequest } from 'fastify';

export function bearerToken(request: FastifyRequest): string | null {
  const header = request.headers.authorization ?? '';
  return header.startsWith('Bearer ') ? header.slice('Bearer '.length).trim() : null;
}

/** Host without its port, in lower case. */
export function hostName(host: string): string {
  return relativeHost(host).toLowerCase().replace(/:\d+$/, '');
}

/** The host without the dot that ends it in DNS: with or without, it's the same one. */
export function relativeHost(host: string): string {
  return host.replace(/\.(?=(?::\d+)?$)/, '');
}
