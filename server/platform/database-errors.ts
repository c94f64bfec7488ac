import pg from 'pg';

/** SQLSTATE 23505. On Citus neither constraint nor table of the error can be trusted, so callers ask narrowly. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23505';
}

export function isForeignKeyViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23503';
}

/** The zero character, or half a surrogate pair in JSON: the schemas refuse them where they are expected. */
export function isUnstorableText(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '22021' || error.code === '22P05');
}

const AWAY_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  // crash, shutdown, starting up, too many connections, connection failures
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '08000',
  '08003',
  '08006',
  '08001',
  '25006',
]);

/**
 * PostgreSQL could not write because its disk, or its quota there, is used up. The connection is fine, and so is
 * everything that was saved before.
 */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  return error.code === '53100' || /no space left on device|disk quota exceeded/i.test(error.message);
}

/** The database went away between a commit and its answer: what was sent is either all there, or none of it is. */
export class UndecidedCommit extends Error {
  constructor(cause: unknown) {
    super('The connection was lost while a transaction was being committed', { cause });
    this.name = 'UndecidedCommit';
  }
}

/** Is the database away (as against: did it refuse the statement)? */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof UndecidedCommit) return true;
  if ('code' in error && typeof error.code === 'string' && AWAY_CODES.has(error.code)) return true;
  return /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|not queryable|Connection ended/i.test(
    error.message,
  );
}

/** All connections that the database allows are taken, by this process or by others. */
export function isTooManyConnections(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '53300';
}

/**
 * A newer version has added a column since this connection prepared a statement. Nothing was done: PostgreSQL refuses it
 * before it begins, and on this connection from then on.
 */
export function isStalePlan(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError &&
    error.code === '0A000' &&
    error.message.includes('cached plan must not change result type')
  );
}

/** No connection was to be had in time: the database is away, or the pool or the machine is busy. */
export function isConnectTimeout(error: unknown): boolean {
  return (
    error instanceof Error &&
    /timeout exceeded when trying to connect|terminated due to connection timeout/.test(error.message)
  );
}

/** Nothing is wrong with what was asked: the database cannot do it now, and will be able to again. */
export function isDatabaseUnable(error: unknown): boolean {
  return isDatabaseAway(error) || isDiskFull(error);
}
