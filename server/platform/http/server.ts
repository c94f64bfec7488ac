import type { Socket } from 'node:net';
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import helmet from 'helmet';
import type { z } from 'zod';
import type { Route } from '#contract/route.ts';
import { appHost, type Config } from '../config.ts';
import { AppError, notFound } from '../errors.ts';
import { newId } from '../ids.ts';
import type { ProcessMetrics } from '../process-metrics.ts';
import type { Log } from '../log.ts';
import { anonymousTenant, type Tenant, runForTenant } from '../tenant-budget.ts';
import { createClientAddress } from './client-address.ts';
import { watchEventLoop } from './event-loop.ts';
import { relativeHost } from './headers.ts';
import { toAppError, ValidationProblem } from './problems.ts';
import { watchForUnnamedProxy } from './unnamed-proxy.ts';

export type Http = FastifyInstance;

/** The longest encrypted value contains an address of 254 characters; Fastify's default limit is 100. */
const MAX_PARAM_LENGTH = 1600;

const UNITS = new Map<string, readonly [one: string, more: string]>([
  ['string', ['character', 'characters']],
  ['array', ['item', 'items']],
]);

/** "at least 1 item", "at most 200 characters", "at most 100". */
function limitText(limit: number | bigint, origin: string): string {
  const units = UNITS.get(origin);
  if (units === undefined) return String(limit);
  return `${limit} ${Number(limit) === 1 ? units[0] : units[1]}`;
}

/** Readable messages instead of the schema library's own. */
function explain(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type') {
    return issue.input === undefined ? 'is required' : `must be of type ${issue.expected}`;
  }
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'too_big' || issue.code === 'too_small') {
    const verb = UNITS.has(issue.origin) ? 'have' : 'be';
    return issue.code === 'too_big'
      ? `must ${verb} at most ${limitText(issue.maximum, issue.origin)}`
      : `must ${verb} at least ${limitText(issue.minimum, issue.origin)}`;
  }
  if (issue.code === 'invalid_format' && issue.format === 'uuid') return 'must be an ID (UUID)';
  return undefined;
}

function validatorOf(schema: z.ZodType, part: string | undefined) {
  return (data: unknown) => {
    const parsed = schema.safeParse(data ?? undefined, { error: explain });
    if (!parsed.success) return { error: new ValidationProblem(parsed.error.issues) };
    // Schemas list only the headers that a call reads; keep the others.
    return { value: part === 'headers' ? { ...(data as object), ...(parsed.data as object) } : parsed.data };
  };
}

/** Sends an error in the format of design section 2. */
export function sendError(request: FastifyRequest, reply: FastifyReply, error: AppError): FastifyReply {
  if (error.status >= 500) request.log.error({ err: error.cause ?? error }, error.message);
  if (error.retryAfterSeconds !== null) reply.header('retry-after', String(error.retryAfterSeconds));
  return reply
    .code(error.status)
    .type('application/json; charset=utf-8')
    .header('cache-control', 'no-store')
    .serializer(JSON.stringify)
    .send(error.body());
}

const BODY_WITHIN_MS = 15_000;

/** Closes connections whose body does not arrive in time, so that slow clients do not pile up. */
function limitBodyTime(app: FastifyInstance): void {
  app.addHook('preParsing', async (request, _reply, payload) => {
    const { route } = request.routeOptions.config as { route?: Route };
    const hasBody = 'content-length' in request.headers || 'transfer-encoding' in request.headers;
    if (!hasBody || route?.file?.streamed === true) return payload;
    const timer = setTimeout(() => request.raw.destroy(), BODY_WITHIN_MS);
    const stop = () => clearTimeout(timer);
    request.raw.once('end', stop).once('close', stop);
    return payload;
  });
}

/** Calls of the contract that take no body parse none. Unread, it would keep its connection busy, and a stop waiting. */
function ignoreUnexpectedBodies(app: FastifyInstance): void {
  app.addHook('preParsing', ({ headers, raw, routeOptions }, _reply, payload, done) => {
    const { route } = routeOptions.config as { route?: Route };
    if (route !== undefined && route.body === undefined && route.file === undefined) {
      for (const name of ['content-type', 'content-length', 'transfer-encoding']) delete headers[name];
      raw.resume();
    }
    done(null, payload);
  });
}

/**
 * Hosts of pages: slashes that people and proxies add to a link lead to the same page. The app's paths and the API's
 * are those of the contract.
 */
function withoutSpareSlashes(target: string): string {
  const query = target.indexOf('?');
  const path = query < 0 ? target : target.slice(0, query);
  const segments = path.split('/').filter((segment) => segment !== '');
  return `/${segments.join('/')}${query < 0 ? '' : target.slice(query)}`;
}

/** The place that a request means: the host without its last dot, and on hosts of pages the path without spare slashes. */
function placeOf(
  ownHost: string,
  { headers, url = '/' }: Pick<FastifyRequest['raw'], 'headers' | 'url'>,
): string {
  const host = relativeHost(headers.host ?? '');
  if (headers.host !== undefined) headers.host = host;
  const isOfPages = host.toLowerCase() !== ownHost && url.startsWith('/');
  return isOfPages ? withoutSpareSlashes(url) : url;
}

/**
 * A request with more than one host could be served as one of them, and cached as the other by a proxy.
 */
function refuseAmbiguousHosts(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw }) => {
    const hosts = raw.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
    const target = raw.url ?? '/';
    const named = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(target)?.[1];
    const isOther =
      named !== undefined && relativeHost(named).toLowerCase() !== raw.headers.host?.toLowerCase();
    if (hosts.length > 1 || isOther) {
      throw new AppError('bad_request', 'The request has more than one host. Send one, in the Host header.');
    }
  });
}

/**
 * Sets `request.ip` to the client address. Fastify's `trustProxy` cannot count hops, and would also trust
 * `X-Forwarded-Host`, which many proxies pass on unchanged: hosts are only read from `Host`.
 */
function nameClients(app: FastifyInstance, config: Config): void {
  const clientAddress = createClientAddress(config.trustProxy);
  app.addHook('onRequest', async (request) => {
    Object.defineProperty(request, 'ip', { value: clientAddress(request.raw) });
  });
}

/** Attributes a request's database work to its client address, until a guard knows the tenant. */
function countRequests(app: FastifyInstance): void {
  const tenants = new WeakMap<FastifyRequest, Tenant>();
  app.addHook('onRequest', (request, _reply, done) => {
    const tenant = anonymousTenant(request.ip);
    tenants.set(request, tenant);
    runForTenant(tenant, done);
  });
  // Again: after reading the body, the async context is that of the body's arrival.
  app.addHook('preValidation', (request, _reply, done) => runForTenant(tenants.get(request) ?? null, done));
}

/**
 * Measures each response, and logs refused ones with their request id. It uses the route's pattern, because the URL may
 * contain personal data.
 */
function recordAnswers(app: FastifyInstance, { requests }: ProcessMetrics): void {
  app.addHook('onResponse', async (request, reply) => {
    const { method } = request;
    const route = request.routeOptions.url ?? 'none';
    const status = reply.statusCode;
    requests.observe({ method, route, status: String(status) }, reply.elapsedTime / 1000);
    const line = { method, route, status, ms: Math.round(reply.elapsedTime) };
    if (status >= 400) request.log.info(line, 'answered');
    else request.log.debug(line, 'answered');
  });
  app.addHook('onRequestAbort', async ({ log, method, routeOptions: { url } }) => {
    log.info({ method, route: url ?? 'none' }, 'broke off');
  });
}

/** Invalid HTTP never becomes a request, but gets a response with an id all the same. Then its connection ends. */
function answerGarbage(log: Log): (error: Error & { code?: string }, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return;
    const reqId = newId();
    const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
    const [status, reason] = isLate ? ([408, 'Request Timeout'] as const) : ([400, 'Bad Request'] as const);
    const message = isLate ? 'The request took too long to arrive.' : "We can't read this request.";
    log.info({ reqId, code: error.code, status }, 'answered');
    const body = JSON.stringify(new AppError('bad_request', message).body());
    socket.end(
      `HTTP/1.1 ${status} ${reason}\r\nconnection: close\r\ncontent-type: application/json; charset=utf-8\r\n` +
        `x-request-id: ${reqId}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    // Ending our half would wait for the other one, which a slow client never ends.
    socket.destroySoon();
  };
}

/** A new connection that stays silent this long carries no request. */
const SILENT_MS = 2000;
const SWEEP_EVERY_MS = 500;

/**
 * Browsers open connections speculatively. Node counts them as busy, so a stop would wait until they time out.
 */
function endSilentConnections(app: FastifyInstance): void {
  const connectedAt = new Map<Socket, number>();
  let sweeping: NodeJS.Timeout | undefined;
  app.server.on('connection', (socket) => {
    connectedAt.set(socket, performance.now());
    socket.once('close', () => connectedAt.delete(socket));
  });
  app.addHook('preClose', async () => {
    sweeping = setInterval(() => {
      for (const [socket, at] of connectedAt) {
        if (socket.bytesRead === 0 && performance.now() - at > SILENT_MS) socket.destroy();
      }
    }, SWEEP_EVERY_MS);
  });
  app.addHook('onClose', async () => clearInterval(sweeping));
}

/** Default security headers of every response, beside its policy. Routes may override them. */
function protectBrowsers(app: FastifyInstance, config: Config): void {
  const setHeaders = helmet({
    contentSecurityPolicy: false,
    xFrameOptions: { action: 'deny' },
    crossOriginEmbedderPolicy: false,
    referrerPolicy: { policy: 'no-referrer' },
    strictTransportSecurity: config.appUrl.startsWith('https:')
      ? { maxAge: 31_536_000, includeSubDomains: false }
      : false,
  });
  // They do not depend on the request, so they are computed once: as a plugin, helmet took a third of a read's time.
  const headers: Record<string, string> = {};
  type Call = Parameters<typeof setHeaders>;
  const response = { setHeader: (name: string, value: string) => (headers[name] = value), removeHeader() {} };
  setHeaders({} as Call[0], response as unknown as Call[1], () => {});
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
}

/** Many clients always name JSON as their type. Without a body, that is no invalid JSON, unless the call needs one. */
function acceptNoJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text === '' && mayBeEmpty(request)) done(null, undefined);
    else void parse(request, text as string, done);
  });
}

function mayBeEmpty({ routeOptions }: FastifyRequest): boolean {
  const { route } = routeOptions.config as { route?: Route };
  return route?.body?.safeParse(undefined).success === true;
}

/** The HTTP server of all hosts, without any routes. */
export async function createHttp(
  config: Config,
  { log, metrics }: { log: Log; metrics: ProcessMetrics },
): Promise<Http> {
  const ownHost = appHost(config);
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: 256 * 1024,
    // Node looks for late ones every 30 seconds unless it is told otherwise.
    http: { headersTimeout: BODY_WITHIN_MS, connectionsCheckingInterval: 1000 },
    // Streamed files may take longer; `limitBodyTime` limits all other bodies.
    requestTimeout: 10 * 60_000,
    connectionTimeout: 60_000,
    keepAliveTimeout: 65_000,
    genReqId: () => newId(),
    rewriteUrl: (request) => placeOf(ownHost, request),
    clientErrorHandler: answerGarbage(log),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, ignoreTrailingSlash: false },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => void sendError(request, reply, toAppError(error)),
  }) as unknown as FastifyInstance;
  // Remove Fastify's text parser: plain text would reach the schemas as a string, and be rejected for missing fields.
  app.removeContentTypeParser('text/plain');
  acceptNoJson(app);
  app.setValidatorCompiler<z.ZodType>(({ schema, httpPart }) => validatorOf(schema, httpPart));
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  app.setErrorHandler((error, request, reply) => sendError(request, reply, toAppError(error)));
  refuseAmbiguousHosts(app);
  nameClients(app, config);
  watchForUnnamedProxy(app, config, { log, metrics });
  countRequests(app);
  recordAnswers(app, metrics);
  watchEventLoop(app, { log, metrics });
  limitBodyTime(app);
  ignoreUnexpectedBodies(app);
  endSilentConnections(app);
  app.setNotFoundHandler((request, reply) => sendError(request, reply, notFound('This URL')));
  app.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id);
    // Responses without a policy of their own are not pages: they load nothing, and cannot be framed.
    if (!reply.hasHeader('content-security-policy')) {
      reply.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
    }
  });
  protectBrowsers(app, config);
  return app;
}
