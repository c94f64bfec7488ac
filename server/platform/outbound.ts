import http from 'node:http';
import https from 'node:https';
import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { isPublicAddress, looksPublic } from './addresses.ts';

export interface OutboundRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface OutboundResponse {
  status: number;
  headers: Record<string, string>;
  /** Cut at `MAX_RESPONSE_BYTES`. */
  body: string;
}

/** An answer as it came. */
export interface Download {
  status: number;
  bytes: Buffer;
}

/** Why no answer came. `blocked`: the address is private, which will not change by trying again soon. */
export type OutboundFailure = 'blocked' | 'timeout' | 'too_large' | 'unreachable';

export class OutboundError extends Error {
  readonly kind: OutboundFailure;

  constructor(kind: OutboundFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

export interface Outbound {
  /**
   * Makes one request: the resolved address is checked at the moment of connecting, redirects are not
   * followed, and connecting, sending and the whole answer share one deadline.
   * @param maxBytes a larger answer is `too_large`
   * @throws OutboundError
   */
  send(request: OutboundRequest, maxBytes?: number): Promise<OutboundResponse>;
  /**
   * GETs a file, by the same rules as `send`.
   * @param limit.maxBytes a larger answer is `too_large`
   * @throws OutboundError
   */
  download(url: string, limit: { accept: string; maxBytes: number }): Promise<Download>;
  close(): void;
}

/** Standard Webhooks: an endpoint answers within 15 to 30 seconds. */
const DEADLINE_MS = 15_000;
const MAX_RESPONSE_BYTES = 64 * 1024;

function failureOf(error: Error & { code?: string }): OutboundError {
  if (error instanceof OutboundError) return error;
  if (/is not allowed|private|Because, It is/i.test(error.message)) {
    return new OutboundError('blocked', 'The address is private; Sayso only calls public addresses.', error);
  }
  return new OutboundError('unreachable', `No connection (${error.code ?? error.message}).`, error);
}

function privateAddress(): OutboundError {
  return new OutboundError('blocked', 'The address is private; Sayso only calls public addresses.');
}

/** Resolves a name at the moment of connecting, to public addresses alone. */
const lookUpPublic: LookupFunction = (hostname, options, done) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return done(error, '', 0);
    if (addresses.some(({ address }) => !isPublicAddress(address))) return done(privateAddress(), '', 0);
    const [first] = addresses;
    return options.all === true ? done(null, addresses) : done(null, first?.address ?? '', first?.family);
  });
};

function sizeText(bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes / 1024} kB` : `${bytes / 1024 / 1024} MB`;
}

/** All HTTP that leaves the product goes through here. */
export function createOutbound(options: { allowPrivateTargets: boolean; deadlineMs?: number }): Outbound {
  const deadlineMs = options.deadlineMs ?? DEADLINE_MS;
  const filter = { allowPrivateIPAddress: options.allowPrivateTargets, keepAlive: true, maxSockets: 50 };
  const plain = new RequestFilteringHttpAgent(filter);
  const secure = new RequestFilteringHttpsAgent(filter);

  function exchange(
    request: Pick<OutboundRequest, 'method' | 'url' | 'headers'> & { body: string | null },
    maxBytes: number,
  ): Promise<Download & Pick<OutboundResponse, 'headers'>> {
    return new Promise((resolve, reject) => {
      const url = new URL(request.url);
      if (!options.allowPrivateTargets && !looksPublic(url)) return reject(privateAddress());
      const isSecure = url.protocol === 'https:';
      const outgoing = (isSecure ? https : http).request(url, {
        method: request.method,
        headers: {
          'user-agent': 'Sayso/1',
          ...request.headers,
          ...(request.body === null ? {} : { 'content-length': Buffer.byteLength(request.body) }),
        },
        agent: isSecure ? secure : plain,
        ...(options.allowPrivateTargets ? {} : { lookup: lookUpPublic }),
      });
      const deadline = setTimeout(
        () =>
          outgoing.destroy(
            new OutboundError('timeout', `No complete answer within ${deadlineMs / 1000} seconds.`),
          ),
        deadlineMs,
      );
      outgoing.on('error', (error) => {
        clearTimeout(deadline);
        reject(failureOf(error));
      });
      outgoing.on('response', (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > maxBytes) {
            outgoing.destroy(
              new OutboundError('too_large', `The answer is larger than ${sizeText(maxBytes)}.`),
            );
          } else chunks.push(chunk);
        });
        response.on('error', (error) => {
          clearTimeout(deadline);
          reject(failureOf(error));
        });
        response.on('end', () => {
          clearTimeout(deadline);
          resolve({
            status: response.statusCode ?? 0,
            headers: Object.fromEntries(
              Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
            ),
            bytes: Buffer.concat(chunks),
          });
        });
      });
      outgoing.end(request.body ?? undefined);
    });
  }

  return {
    async send(request, maxBytes = MAX_RESPONSE_BYTES) {
      const { status, headers, bytes } = await exchange(request, maxBytes);
      return { status, headers, body: bytes.toString('utf8') };
    },
    async download(url, { accept, maxBytes }) {
      const { status, bytes } = await exchange(
        { method: 'GET', url, headers: { accept }, body: null },
        maxBytes,
      );
      return { status, bytes };
    },
    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}
