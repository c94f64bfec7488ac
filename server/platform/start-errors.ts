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
      `PORT: port ${port} is already in use. Stop the other program, or set PORT to another one.`,
    );
  }
  if (code === 'EACCES') {
    return new ListenError(
      `PORT: this user can't listen on port ${port}. Set PORT to 1024 or higher, and put a proxy in front of it.`,
    );
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return new ListenError(
      `HOST: this machine has no address "${host}". Set HOST to one it has, or to 0.0.0.0 for all of them.`,
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

/** What Citus says of a node: which it is, as whom it was asked, and why it failed. */
const WORKER_TEXT = /connection to the remote node|while executing command on/;

/** What PgBouncer says of what it doesn't track. */
const UNKNOWN_PARAMETER = /unsupported startup parameter/;

const TLS_TEXT = /does not support SSL|self[- ]signed|certificate|SSL routines/i;

const FILE_PROBLEMS: Readonly<Record<string, string>> = {
  ENOSPC: 'its disk is full. Free some space and start Sayso again',
  EDQUOT: 'this user is over quota. Free some space and start Sayso again',
  EACCES: "this user can't write there. Fix the permissions, or set DATA_DIR to another directory",
  EPERM: "this user can't write there. Fix the permissions, or set DATA_DIR to another directory",
  EROFS: 'its disk is read-only. Set DATA_DIR to a writable directory',
  ENOTDIR: 'a file is in the way. Set DATA_DIR to another directory',
  EEXIST: 'a file is in the way. Set DATA_DIR to another directory',
};

function fileProblem(error: Error): string | null {
  const problem = FILE_PROBLEMS[codeOf(error)];
  if (problem === undefined || !('path' in error) || typeof error.path !== 'string') return null;
  return `DATA_DIR: Sayso can't write ${error.path}: ${problem}.`;
}

function databaseProblem(error: Error): string | null {
  const code = codeOf(error);
  const text = error.message.replaceAll(/\s+/g, ' ').replace(/[.?]$/, '');
  if (isDiskFull(error)) {
    return `DATABASE_URL: the database's disk is full (${text}). Free some space and start Sayso again.`;
  }
  if (isTooManyConnections(error)) {
    return (
      `DATABASE_URL: the database has no free connection (${text}). ` +
      'Lower DATABASE_CONNECTIONS for all processes, or raise max_connections in the database.'
    );
  }
  if (WORKER_TEXT.test(text)) {
    return (
      `DATABASE_URL: the Citus coordinator can't use one of its workers: ${text}. ` +
      'Start that worker, or let it accept this role (pg_hba.conf on the worker, or pg_dist_authinfo on the coordinator), and start Sayso again.'
    );
  }
  if (UNKNOWN_PARAMETER.test(text)) {
    return (
      `DATABASE_URL: a pooler such as PgBouncer is in front of the database and refuses what Sayso sets (${text}). ` +
      'Connect to PostgreSQL itself, or name this parameter in its ignore_startup_parameters and set pool_mode = session.'
    );
  }
  if (TLS_TEXT.test(text)) return `DATABASE_URL: Sayso can't reach the database over TLS: ${text}.`;
  if (UNREACHABLE.has(code) || UNREACHABLE_TEXT.test(text)) {
    return `DATABASE_URL: Sayso can't reach the database (${code === '' ? text : code}). Start it, or correct the URL.`;
  }
  if (code === '42501') {
    return `DATABASE_URL: ${text}. The role in the URL must own the database and be able to create roles (CREATEROLE).`;
  }
  if (code === '28P01' || code === '28000' || code === '3D000') return `DATABASE_URL: ${text}.`;
  return null;
}

/**
 * The message for a failed start: one sentence if the operator can fix it; otherwise the stack trace, followed by a
 * sentence.
 */
export function startProblem(error: unknown): string {
  if (!(error instanceof Error)) return `Sayso couldn't start: ${String(error)}`;
  if (error instanceof ConfigError || error instanceof ClusterError || error instanceof ListenError) {
    return error.message;
  }
  if (error instanceof MigrationError) {
    const known = error.cause instanceof Error ? databaseProblem(error.cause) : null;
    return known === null ? error.message : `${known}\n${error.message}`;
  }
  const known = fileProblem(error) ?? databaseProblem(error);
  if (known !== null) return known;
  return `${error.stack ?? error.message}\n\nSayso couldn't start because of the error above: ${error.message}`;
}
