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
import type { Config } from '../config.ts';
import { AppError, notFound } from '../errors.ts';
import { newId } from '../ids.ts';
import type { ProcessMetrics } from '../process-metrics.ts';
import type { Log } from '../log.ts';
import { anonymousTenant, type Tenant, runForTenant } from '../tenant-budget.ts';
import { createClientAddress } from './client-address.ts';
import { toAppError, ValidationProblem } from './problems.ts';

export type Http = FastifyInstance;

/** The longest sealed value has an address of 254 characters in it; Fastify's own limit is 100. */
const MAX_PARAM_LENGTH = 1600;

/** Sentences for people in place of the schema library's own. */
function explain(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type') {
    return issue.input === undefined ? 'is required' : `must be of type ${issue.expected}`;
  }
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'too_big') return `must have or be at most ${issue.maximum}`;
  if (issue.code === 'too_small') return `must have or be at least ${issue.minimum}`;
  if (issue.code === 'invalid_format' && issue.format === 'uuid') return 'must be an id (UUID)';
  return undefined;
}

function validatorOf(schema: z.ZodType, part: string | undefined) {
  return (data: unknown) => {
    const parsed = schema.safeParse(data ?? undefined, { error: explain });
    if (!parsed.success) return { error: new ValidationProblem(parsed.error.issues) };
    // A schema names the few headers a call reads; the others must survive it.
    return { value: part === 'headers' ? { ...(data as object), ...(parsed.data as object) } : parsed.data };
  };
}

/** Answers an error by the one shape of design section 2. */
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

/** Hangs up on who does not send a body within its time, so that slow ones do not pile up. */
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

/**
 * A request that names more than one host would be served as one of them and be taken for the other, by a proxy or a
 * cache on its way.
 */
function refuseAmbiguousHosts(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw }) => {
    const hosts = raw.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
    const target = raw.url ?? '/';
    const named = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(target)?.[1];
    const isOther = named !== undefined && named.toLowerCase() !== raw.headers.host?.toLowerCase();
    if (hosts.length > 1 || isOther) {
      throw new AppError(
        'bad_request',
        'The request names more than one host; name one, in the Host header.',
      );
    }
  });
}

/**
 * Gives `request.ip` who really calls. Fastify's own `trustProxy` cannot count hops, and would believe
 * `X-Forwarded-Host` as well, which many proxies pass on as the client wrote it: hosts come from `Host` alone.
 */
function nameClients(app: FastifyInstance, config: Config): void {
  const clientAddress = createClientAddress(config.trustProxy);
  app.addHook('onRequest', async (request) => {
    Object.defineProperty(request, 'ip', { value: clientAddress(request.raw) });
  });
}

/** What a request asks of the database counts for who sent it; guards say so more exactly once they know. */
function countRequests(app: FastifyInstance): void {
  const tenants = new WeakMap<FastifyRequest, Tenant>();
  app.addHook('onRequest', (request, _reply, done) => {
    const tenant = anonymousTenant(request.ip);
    tenants.set(request, tenant);
    runForTenant(tenant, done);
  });
  // Once more: what comes after a body was read begins where the body arrived.
  app.addHook('preValidation', (request, _reply, done) => runForTenant(tenants.get(request) ?? null, done));
}

/**
 * Measures each answer, and writes those that somebody may ask about into the log with their request id. The route's
 * pattern stands for the address, which may name people.
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
}

/** What is no HTTP never becomes a request, and is answered with an id all the same. */
function answerGarbage(log: Log): (error: Error & { code?: string }, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return;
    const reqId = newId();
    log.info({ reqId, code: error.code, status: 400 }, 'answered');
    const body = JSON.stringify(new AppError('bad_request', 'The request cannot be read.').body());
    socket.end(
      `HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-type: application/json; charset=utf-8\r\n` +
        `x-request-id: ${reqId}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  };
}

/** A connection on which nothing has come for so long is no request on its way. */
const SILENT_MS = 2000;
const SWEEP_EVERY_MS = 500;

/**
 * Browsers open connections ahead and send nothing on them. Node counts them as busy, so that stopping would wait for
 * them until they time out.
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

/** What browsers are told of every answer, beside its policy. A route that means otherwise says so after this. */
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
  // None of them depends on the request, so they are asked for once: as a plugin, helmet took a third of a read.
  const headers: Record<string, string> = {};
  type Call = Parameters<typeof setHeaders>;
  const response = { setHeader: (name: string, value: string) => (headers[name] = value), removeHeader() {} };
  setHeaders({} as Call[0], response as unknown as Call[1], () => {});
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
}

/** The one HTTP server of all hosts, before any feature is on it. */
export async function createHttp(
  config: Config,
  { log, metrics }: { log: Log; metrics: ProcessMetrics },
): Promise<Http> {
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: 256 * 1024,
    http: { headersTimeout: BODY_WITHIN_MS },
    // A streamed file may take its time; the others are hurried by `limitBodyTime`.
    requestTimeout: 10 * 60_000,
    connectionTimeout: 60_000,
    keepAliveTimeout: 65_000,
    genReqId: () => newId(),
    clientErrorHandler: answerGarbage(log),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, ignoreTrailingSlash: false },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => void sendError(request, reply, toAppError(error)),
  }) as unknown as FastifyInstance;
  // Fastify's own: a plain text would reach the schemas as a string, and be told of missing fields.
  app.removeContentTypeParser('text/plain');
  app.setValidatorCompiler<z.ZodType>(({ schema, httpPart }) => validatorOf(schema, httpPart));
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  app.setErrorHandler((error, request, reply) => sendError(request, reply, toAppError(error)));
  refuseAmbiguousHosts(app);
  nameClients(app, config);
  countRequests(app);
  recordAnswers(app, metrics);
  limitBodyTime(app);
  endSilentConnections(app);
  app.setNotFoundHandler((request, reply) => sendError(request, reply, notFound('This address')));
  app.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id);
    // What has no policy of its own is no page: it loads nothing, and no frame may show it.
    if (!reply.hasHeader('content-security-policy')) {
      reply.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
    }
  });
  protectBrowsers(app, config);
  return app;
}
