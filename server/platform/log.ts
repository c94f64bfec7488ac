import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

// Credentials and personal data never reach a log, whatever object contains them.
const SECRETS = [
  'password',
  'current_password',
  'refresh_token',
  'access_token',
  'token',
  'authorization',
  'cookie',
  'credentials',
  'signing_secret',
  'challenge',
];

/**
 * The loggable part of an error. Errors of the database driver contain the whole connection with its key and, as
 * `detail`, the values of the rejected row.
 */
export function loggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, cause } = error;
  return {
    type: name,
    message,
    ...('code' in error ? { code: error.code } : {}),
    ...(stack === undefined ? {} : { stack }),
    ...(cause instanceof Error ? { cause: loggedError(cause) } : {}),
  };
}

/** @param destination instead of standard output */
export function createLog(level: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: undefined,
    redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[hidden]' },
    serializers: { err: loggedError },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
