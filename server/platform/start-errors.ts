import { type Config, ConfigError } from './config.ts';
import { isDiskFull, isTooManyConnections } from './database-errors.ts';
import { MigrationError } from './migrate.ts';
import { ClusterError } from './postgres/cluster-error.ts';

/** The address that the server cannot listen on, and why. */
export class ListenError extends Error {}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

export function listenError(error: unknown, { port, host }: Pick<Config, 'port' | 'host'>): unknown {
  const code = codeOf(error);
  if (code === 'EADDRINUSE') {
    return new ListenError(
      `PORT: port ${port} is in use already; stop the other program, or set PORT to another one.`,
    );
  }
  if (code === 'EACCES') {
    return new ListenError(
      `PORT: this user may not listen on port ${port}; set PORT to one from 1024 on, and put a proxy in front of it.`,
    );
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return new ListenError(
      `HOST: this machine has no address "${host}"; set HOST to one that it has, or to 0.0.0.0 for all of them.`,
    );
  }
  return error;
}

const UNREACHABLE = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN'],
  // starting up, shutting down
  ...['57P01', '57P03'],
]);

const UNREACHABLE_TEXT = /Connection terminated|timeout expired|timeout exceeded when trying to connect/;

const TLS_TEXT = /does not support SSL|self[- ]signed|certificate|SSL routines/i;

const FILE_PROBLEMS: Readonly<Record<string, string>> = {
  ENOSPC: 'its disk is full; free some space and start Sayso again',
  EDQUOT: 'the quota of this user is used up; free some space and start Sayso again',
  EACCES: 'this user may not write there; correct the permissions, or set DATA_DIR to another directory',
  EPERM: 'this user may not write there; correct the permissions, or set DATA_DIR to another directory',
  EROFS: 'its disk is read-only; set DATA_DIR to a directory that can be written',
  ENOTDIR: 'a file is in the way; set DATA_DIR to another directory',
  EEXIST: 'a file is in the way; set DATA_DIR to another directory',
};

function fileProblem(error: Error): string | null {
  const problem = FILE_PROBLEMS[codeOf(error)];
  if (problem === undefined || !('path' in error) || typeof error.path !== 'string') return null;
  return `DATA_DIR: ${error.path} cannot be written: ${problem}.`;
}

function databaseProblem(error: Error): string | null {
  const code = codeOf(error);
  const text = error.message.replace(/\.$/, '');
  if (isDiskFull(error)) {
    return `DATABASE_URL: the disk of the database is full (${text}). Free some space and start Sayso again.`;
  }
  if (isTooManyConnections(error)) {
    return (
      `DATABASE_URL: the database has no free connection (${text}). ` +
      'Lower DATABASE_CONNECTIONS of all processes, or raise max_connections of the database.'
    );
  }
  if (TLS_TEXT.test(text)) return `DATABASE_URL: the database cannot be reached over TLS: ${text}.`;
  if (UNREACHABLE.has(code) || UNREACHABLE_TEXT.test(text)) {
    return `DATABASE_URL: the database cannot be reached (${code === '' ? text : code}); start it, or correct the address.`;
  }
  if (code === '42501') {
    return `DATABASE_URL: ${text}. The role in the address has to own the database, and may create roles (CREATEROLE).`;
  }
  if (code === '28P01' || code === '28000' || code === '3D000') return `DATABASE_URL: ${text}.`;
  return null;
}

/**
 * The message for a failed start: one sentence if the operator can fix it; otherwise the stack trace, followed by a
 * sentence.
 */
export function startProblem(error: unknown): string {
  if (!(error instanceof Error)) return `Sayso could not be started: ${String(error)}`;
  if (error instanceof ConfigError || error instanceof ClusterError || error instanceof ListenError) {
    return error.message;
  }
  if (error instanceof MigrationError) {
    const known = error.cause instanceof Error ? databaseProblem(error.cause) : null;
    return known === null ? error.message : `${known}\n${error.message}`;
  }
  const known = fileProblem(error) ?? databaseProblem(error);
  if (known !== null) return known;
  return `${error.stack ?? error.message}\n\nSayso could not be started, because of the error above: ${error.message}`;
}
