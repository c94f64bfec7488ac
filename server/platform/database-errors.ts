import pg from 'pg';
import { isBrokenOff } from './errors.ts';

/** SQLSTATE 23505. On Citus neither constraint nor table of the error can be trusted, so callers ask narrowly. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23505';
}

export function isForeignKeyViolation(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23503';
}

/** A null character, or a lone surrogate in JSON: schemas reject them where they are expected. */
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
  // A transaction in which this process was silent for too long.
  '25P03',
]);

/**
 * PostgreSQL could not write because its disk, or its quota, is full. The connection and all committed data are fine.
 */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  return error.code === '53100' || /no space left on device|disk quota exceeded/i.test(error.message);
}

/** The connection was lost between a commit and its response: the transaction may or may not have committed. */
export class UndecidedCommit extends Error {
  constructor(cause: unknown) {
    super('The connection was lost while a transaction was being committed', { cause });
    this.name = 'UndecidedCommit';
  }
}

/**
 * What a Citus coordinator says when a worker, or its own postmaster, dies in the middle of a transaction, mostly under the
 * code of an internal error. At a commit nobody knows then what became of it.
 */
const WORKER_LOST_TEXT =
  /could not commit transaction for shard|failure on connection marked as essential|connection to the remote node \S+ failed|could not establish any connections? to the node|server closed the connection unexpectedly|postmaster was shut down|^connection not open/;

/** Whether the database is unreachable, as opposed to rejecting the statement. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error) || isBrokenOff(error)) return false;
  if (error instanceof UndecidedCommit) return true;
  if ('code' in error && typeof error.code === 'string' && AWAY_CODES.has(error.code)) return true;
  if (WORKER_LOST_TEXT.test(error.message)) return true;
  return /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|not queryable|Connection ended/i.test(
    error.message,
  );
}

/** @returns the driver's error if a statement was not answered in time, also if it was a commit; otherwise null */
export function queryTimeoutOf(error: unknown): Error | null {
  const cause = error instanceof UndecidedCommit ? error.cause : error;
  return cause instanceof Error && cause.message === 'Query read timeout' ? cause : null;
}

/** The database's connection limit is reached, by this process or others. */
export function isTooManyConnections(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '53300';
}

/**
 * A migration added a column after this connection prepared the statement. PostgreSQL rejects it without executing it,
 * now and from then on, on this connection.
 */
export function isStalePlan(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError &&
    error.code === '0A000' &&
    error.message.includes('cached plan must not change result type')
  );
}

/**
 * This transaction and another one waited for each other, and the database rolled this one back. On Citus that happens
 * sooner, because changes of a reference table lock all of it.
 */
export function isDeadlock(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '40P01';
}

/** No connection was available in time: the database is away, or the pool or the machine is busy. */
export function isConnectTimeout(error: unknown): boolean {
  return (
    error instanceof Error &&
    /timeout exceeded when trying to connect|terminated due to connection timeout/.test(error.message)
  );
}

/** A temporary failure of the database; the statement itself is fine. */
export function isDatabaseUnable(error: unknown): boolean {
  return isDatabaseAway(error) || isDiskFull(error);
}
