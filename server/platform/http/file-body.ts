import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { FastifyError } from 'fastify';
import type { FileBody } from '#contract/route.ts';
import { AppError } from '../errors.ts';
import { toAppError } from './problems.ts';
import { type Http, sendError } from './server.ts';

const MEGABYTE = 1024 * 1024;

function tooLarge({ maxBytes }: FileBody): AppError {
  const size = `${maxBytes / MEGABYTE} MB`;
  return new AppError('body_too_large', `The file is larger than ${size}. Send a smaller one.`);
}

/** Errors that name the accepted file types, instead of JSON. */
function refusalOf(error: Partial<FastifyError>, file: FileBody): AppError | null {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return tooLarge(file);
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new AppError('unsupported_media_type', `Send the file itself as one of ${file.types.join(', ')}.`);
  }
  return null;
}

/** The incoming stream, up to its size limit. The connection stays open for the response even if reading stops. */
async function* upToLimit(body: Readable, file: FileBody): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > file.maxBytes) throw tooLarge(file);
    yield chunk;
  }
}

/**
 * How long a rejected upload is drained: a client that is still sending would miss a response on a closed connection.
 */
const LINGER_MS = 3000;

async function restOf(body: Readable): Promise<void> {
  if (body.readableEnded || body.destroyed) return;
  const lingering = new AbortController();
  const timer = setTimeout(() => lingering.abort(), LINGER_MS);
  body.resume();
  await finished(body, { signal: lingering.signal, writable: false }).catch(() => {});
  clearTimeout(timer);
}

function addStreamingParser(scope: Http, file: FileBody): void {
  scope.addContentTypeParser([...file.types], (request, body: Readable, done) => {
    if (Number(request.headers['content-length'] ?? 0) > file.maxBytes) return done(tooLarge(file));
    done(null, upToLimit(body, file));
  });
}

function addParser(scope: Http, file: FileBody): void {
  scope.addContentTypeParser(
    [...file.types],
    { parseAs: 'buffer', bodyLimit: file.maxBytes },
    (_request, body, done) => done(null, body),
  );
}

/**
 * For a route whose body is a file, with its own parsers and errors.
 * @param putOn registers the route on the given server
 */
export function acceptFile(http: Http, file: FileBody, putOn: (scope: Http) => void): void {
  void http.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    if (file.streamed === true) addStreamingParser(scope, file);
    else addParser(scope, file);
    scope.setErrorHandler(async (error, request, reply) => {
      if (file.streamed === true) await restOf(request.raw);
      if (!request.raw.complete) reply.header('connection', 'close');
      return sendError(request, reply, refusalOf(error as Partial<FastifyError>, file) ?? toAppError(error));
    });
    putOn(scope);
  });
}
