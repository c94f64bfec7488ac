import { type Logger, pino } from 'pino';

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

export function createLog(level: string): Log {
  return pino({
    level,
    base: undefined,
    redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[hidden]' },
    serializers: { err: pino.stdSerializers.err },
  });
}
