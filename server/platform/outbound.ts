import http from 'node:http';
import https from 'node:https';
import { lookup } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { isPublicAddress, looksPublic } from './ip-addresses.ts';
import { storableJson } from './storable.ts';

export interface OutboundRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface OutboundResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** The body came to its end. */
  isWhole: boolean;
}

export interface Wanted {
  /** A larger response is `too_large`. */
  maxBytes?: number;
  /**
   * Once the head of the response is there, at most this much longer, and a body that is too large or breaks off is cut
   * there. By default, without all of the body there is no response.
   */
  restWithinMs?: number;
}

/** For receivers that say by their status alone what came of a request. */
export const STATUS_ONLY: Wanted = { restWithinMs: 2_000 };

/** A response as received. */
export interface Download {
  status: number;
  bytes: Buffer;
}

/** Why there is no response. `blocked`: the address is private, so a retry soon is pointless. */
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
   * Makes one request. The resolved address is checked when connecting (no DNS rebinding), redirects are not
   * followed, and waiting for a slot, lookup, connecting, sending and the whole response share one deadline, enforced
   * by our own timer.
   * @throws OutboundError
   */
  send(request: OutboundRequest, wanted?: Wanted): Promise<OutboundResponse>;
  /**
   * GETs a file, by the same rules as `send`.
   * @param limit.maxBytes a larger response is `too_large`
   * @throws OutboundError
   */
  download(url: string, limit: { accept: string; maxBytes: number }): Promise<Download>;
  /** Connections in use, and requests waiting for one. */
  load(): { busy: number; waiting: number };
  close(): void;
}

/** Standard Webhooks: an endpoint answers within 15 to 30 seconds. */
const DEADLINE_MS = 15_000;
const MAX_RESPONSE_BYTES = 64 * 1024;

function failureOf(error: Error & { code?: string }): OutboundError {
  if (error instanceof OutboundError) return error;
  if (/is not allowed|private|Because, It is/i.test(error.message)) {
    return new OutboundError('blocked', 'The address is private. Sayso only calls public addresses.', error);
  }
  return new OutboundError('unreachable', `No connection (${error.code ?? error.message}).`, error);
}

function privateAddress(): OutboundError {
  return new OutboundError('blocked', 'The address is private. Sayso only calls public addresses.');
}

/** Resolves a name when connecting, to public addresses only: one private address among them is enough to refuse it. */
const publicOnly =
  (resolve: LookupFunction): LookupFunction =>
  (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return done(error, '', 0);
      const addresses = typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found;
      if (addresses.some(({ address }) => !isPublicAddress(address))) return done(privateAddress(), '', 0);
      const [first] = addresses;
      return options.all === true ? done(null, addresses) : done(null, first?.address ?? '', first?.family);
    });
  };

function sizeText(bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes / 1024} kB` : `${bytes / 1024 / 1024} MB`;
}

function loadOf(agents: readonly http.Agent[]): { busy: number; waiting: number } {
  const count = (lists: Iterable<readonly unknown[] | undefined>) =>
    [...lists].reduce((sum, list) => sum + (list?.length ?? 0), 0);
  return {
    busy: count(agents.flatMap(({ sockets }) => Object.values(sockets))),
    waiting: count(agents.flatMap(({ requests }) => Object.values(requests))),
  };
}

/** How long an idle connection stays open for the next request to the same receiver. */
const IDLE_MS = 30_000;

/** The wire size allowed for a body of so many bytes, with chunk sizes, headers and 1xx responses. */
function wireBytesOf(maxBytes: number): number {
  return 4 * maxBytes + 64 * 1024;
}

type Exchanged = Download & Pick<OutboundResponse, 'headers' | 'isWhole'>;

/**
 * All HTTP that leaves the product goes through here.
 * @param options.lookup instead of the system's
 */
export function createOutbound(options: {
  allowPrivateTargets: boolean;
  deadlineMs?: number;
  lookup?: LookupFunction;
}): Outbound {
  const deadlineMs = options.deadlineMs ?? DEADLINE_MS;
  const filter = {
    allowPrivateIPAddress: options.allowPrivateTargets,
    keepAlive: true,
    // Callers divide their slots by tenant; tenants that call the same host must not wait for each other.
    maxSockets: 512,
    timeout: IDLE_MS,
    ...(options.lookup === undefined ? {} : { lookup: options.lookup }),
  };
  const plain = new RequestFilteringHttpAgent(filter);
  const secure = new RequestFilteringHttpsAgent(filter);

  const way: Way = {
    ...options,
    deadlineMs,
    agentOf: ({ protocol }) => (protocol === 'https:' ? secure : plain),
  };

  return {
    async send(request, wanted = {}) {
      const { bytes, ...head } = await exchange(way, request, wanted);
      return { ...head, body: storableJson(bytes.toString('utf8')) };
    },
    async download(url, { accept, maxBytes }) {
      const request = { method: 'GET', url, headers: { accept }, body: null } as const;
      const { status, bytes } = await exchange(way, request, { maxBytes });
      return { status, bytes };
    },
    load: () => loadOf([plain, secure]),
    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}

interface Way {
  allowPrivateTargets: boolean;
  lookup?: LookupFunction;
  deadlineMs: number;
  agentOf(url: URL): http.Agent;
}

type Request = Pick<OutboundRequest, 'method' | 'url' | 'headers'> & { body: string | null };

async function exchange(way: Way, request: Request, wanted: Wanted): Promise<Exchanged> {
  const url = new URL(request.url);
  if (!way.allowPrivateTargets && !looksPublic(url)) throw privateAddress();
  return answerTo(openRequest(way, url, request), request.body, { ...wanted, deadlineMs: way.deadlineMs });
}

function openRequest(way: Way, url: URL, { method, headers, body }: Request): http.ClientRequest {
  return (url.protocol === 'https:' ? https : http).request(url, {
    method,
    headers: {
      'user-agent': 'Sayso/1',
      ...headers,
      ...(body === null ? {} : { 'content-length': Buffer.byteLength(body) }),
    },
    agent: way.agentOf(url),
    ...(way.allowPrivateTargets ? {} : { lookup: publicOnly(way.lookup ?? lookup) }),
  });
}

/** Sends the request and reads the response. */
function answerTo(
  outgoing: http.ClientRequest,
  body: string | null,
  { deadlineMs, maxBytes = MAX_RESPONSE_BYTES, restWithinMs }: Wanted & { deadlineMs: number },
): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    let isSettled = false;
    let unwatch = () => {};
    /** Ends with what there is of a response whose head is enough. */
    let cut: (() => void) | null = null;
    let patience: NodeJS.Timeout | undefined;

    // Settle here: after an upgrade, or before there is a socket, Node emits neither error nor end.
    function settle(finish: () => void): void {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(deadline);
      clearTimeout(patience);
      unwatch();
      finish();
    }

    function fail(error: Error): void {
      if (cut !== null) return cut();
      settle(() => {
        reject(failureOf(error));
        // Release the slot, whatever the receiver still does.
        outgoing.destroy();
      });
    }

    const failWith = (kind: OutboundFailure, message: string) => fail(new OutboundError(kind, message));
    const deadline = setTimeout(
      () => failWith('timeout', `No complete response within ${deadlineMs / 1000} seconds.`),
      deadlineMs,
    );
    const tooLarge = () => failWith('too_large', `The response is larger than ${sizeText(maxBytes)}.`);
    const leftHttp = () => failWith('unreachable', 'The receiver answered 101 and switched protocols.');

    outgoing.on('error', fail);
    outgoing.on('close', () => {
      if (!isSettled)
        failWith('unreachable', 'The receiver closed the connection before its response was complete.');
    });
    outgoing.on('upgrade', (_response, socket) => {
      socket.destroy();
      leftHttp();
    });
    outgoing.on('socket', (socket) => {
      unwatch = watchBytes(socket, wireBytesOf(maxBytes), tooLarge);
    });
    outgoing.on('response', (response) => {
      response.on('error', fail);
      if (response.statusCode === 101) return leftHttp();
      const finish = (bytes: Buffer, isWhole: boolean) =>
        settle(() => {
          resolve({ status: response.statusCode ?? 0, headers: headersOf(response), bytes, isWhole });
          // A receiver that responds without reading the request would keep the connection busy.
          if (!isWhole || !outgoing.writableFinished) outgoing.destroy();
        });
      const read = readBody(response, maxBytes, tooLarge, () => finish(read(), true));
      if (restWithinMs === undefined) return;
      cut = () => finish(read(), false);
      patience = setTimeout(cut, Math.min(restWithinMs, deadlineMs));
    });
    outgoing.end(body ?? undefined);
  });
}

/** @returns a function that ends the watch */
function watchBytes(socket: Socket, mostBytes: number, tooLarge: () => void): () => void {
  const before = socket.bytesRead;
  const watch = () => {
    if (socket.bytesRead - before > mostBytes) tooLarge();
  };
  socket.on('data', watch);
  return () => void socket.off('data', watch);
}

/** @returns gives what has come so far, up to `maxBytes` */
function readBody(
  response: http.IncomingMessage,
  maxBytes: number,
  tooLarge: () => void,
  done: () => void,
): () => Buffer {
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    if (bytes <= maxBytes) chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) tooLarge();
  });
  response.on('end', done);
  return () => Buffer.concat(chunks).subarray(0, maxBytes);
}

function headersOf({ headers }: http.IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
