import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

// Credentials and personal values never reach a log, whatever object they hang on.
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
 * Only what says what happened and where: the errors of the database driver carry the whole connection with its
 * key, and, as `detail`, the values of the row that was refused.
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
