import type { FastifyError } from 'fastify';
import type { FileBody } from '#contract/route.ts';
import { AppError } from '../errors.ts';
import { toAppError } from './problems.ts';
import { type Http, sendError } from './server.ts';

const MEGABYTE = 1024 * 1024;

/** The refusals that name what this call takes, in place of what JSON calls take. */
function refusalOf(error: Partial<FastifyError>, file: FileBody): AppError | null {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const size = `${file.maxBytes / MEGABYTE} MB`;
    return new AppError('body_too_large', `The file is larger than ${size}; send a smaller one.`);
  }
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new AppError('unsupported_media_type', `Send the file itself as one of ${file.types.join(', ')}.`);
  }
  return null;
}

/**
 * For a route whose body is a file: parsers and refusals of its own.
 * @param putOn registers the route on the server that it is given
 */
export function acceptFile(http: Http, file: FileBody, putOn: (scope: Http) => void): void {
  void http.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      [...file.types],
      { parseAs: 'buffer', bodyLimit: file.maxBytes },
      (_request, body, done) => done(null, body),
    );
    scope.setErrorHandler((error, request, reply) =>
      sendError(request, reply, refusalOf(error as Partial<FastifyError>, file) ?? toAppError(error)),
    );
    putOn(scope);
  });
}
