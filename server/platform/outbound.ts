import http from 'node:http';
import https from 'node:https';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';

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
   * @throws OutboundError
   */
  send(request: OutboundRequest): Promise<OutboundResponse>;
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

/** All HTTP that leaves the product goes through here. */
export function createOutbound(options: { allowPrivateTargets: boolean; deadlineMs?: number }): Outbound {
  const deadlineMs = options.deadlineMs ?? DEADLINE_MS;
  const filter = { allowPrivateIPAddress: options.allowPrivateTargets, keepAlive: true, maxSockets: 50 };
  const plain = new RequestFilteringHttpAgent(filter);
  const secure = new RequestFilteringHttpsAgent(filter);

  function send(request: OutboundRequest): Promise<OutboundResponse> {
    return new Promise((resolve, reject) => {
      const url = new URL(request.url);
      const isSecure = url.protocol === 'https:';
      const outgoing = (isSecure ? https : http).request(url, {
        method: request.method,
        headers: {
          'user-agent': 'Sayso/1',
          ...request.headers,
          'content-length': Buffer.byteLength(request.body),
        },
        agent: isSecure ? secure : plain,
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
          if (bytes > MAX_RESPONSE_BYTES) {
            outgoing.destroy(new OutboundError('too_large', 'The answer is larger than 64 kB.'));
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
            body: Buffer.concat(chunks).toString('utf8'),
          });
        });
      });
      outgoing.end(request.body);
    });
  }

  return {
    send,
    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}
