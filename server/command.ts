import { resolve } from 'node:path';
import { createLog, type Log } from './platform/log.ts';
import { type Config, ConfigError, readConfig } from './platform/config.ts';
import { type Database, openDatabase } from './platform/database.ts';
import { refuseOtherKey } from './platform/installation.ts';
import { isUpToDate, urlOfApp } from './platform/migrate.ts';
import { ClusterError } from './platform/postgres/cluster-error.ts';
import { joinEmbeddedPostgres } from './platform/postgres/join-running.ts';
import { startEmbeddedPostgres } from './platform/postgres/embedded.ts';
import { createKeyring, hasSecretKeys, type Keyring, withSecretKeys } from './platform/secrets.ts';

/* What the commands beside the product have in common: verify, plan, backup, restore, erasures, resume. */

/** For a connection: what was done is not given up because the database is slow for a moment. */
export const PATIENCE_MS = 60_000;

/** What a person can put right; the message is all they need to read. */
export class Refusal extends Error {}

const NO_DATABASE = 'There is no database yet. Start Sayso once, or set DATABASE_URL or DATA_DIR.';

/** @throws Refusal where there is no key: nothing is made here that was not there */
export function keysOf(config: Config): Keyring {
  if (!hasSecretKeys(config)) throw new Refusal(NO_DATABASE);
  return createKeyring(withSecretKeys(config).secretKeys);
}

interface Joined {
  /** Of the owning role. */
  url: string;
  stop(): Promise<void>;
}

/** The database of the settings, beside a running product or without one. */
export async function joinDatabase(config: Config, log: Log = createLog('warn')): Promise<Joined> {
  const joined =
    config.databaseUrl === ''
      ? await joinEmbeddedPostgres({ dataDir: config.dataDir, log })
      : { url: config.databaseUrl, stop: async () => {} };
  if (joined === null) throw new Refusal(NO_DATABASE);
  return joined;
}

/** Like `joinDatabase`; makes the embedded database where there is none. */
export async function makeDatabase(config: Config, log: Log = createLog('warn')): Promise<Joined> {
  if (config.databaseUrl !== '') return { url: config.databaseUrl, stop: async () => {} };
  return (
    (await joinEmbeddedPostgres({ dataDir: config.dataDir, log })) ??
    startEmbeddedPostgres({ dataDir: config.dataDir, log })
  );
}

/**
 * Opens the database of this version, as the product's own role.
 * @throws Refusal where there is none, or one of another version or `SECRET_KEY`
 */
export async function withDatabase<T>(
  work: (opened: { database: Database; keyring: Keyring }) => Promise<T>,
): Promise<T> {
  const config = readConfig();
  const keyring = keysOf(config);
  const joined = await joinDatabase(config);
  try {
    await refuseOtherKey(joined.url, keyring);
    const url = urlOfApp(joined.url, keyring);
    if (!(await isUpToDate(url))) {
      throw new Refusal(
        'The database is from an older version. Start this version of Sayso once, then try again.',
      );
    }
    // What goes wrong is thrown; an idle connection that ends with the database is no news.
    const log = createLog('silent');
    const database = openDatabase(url, { log, maxConnections: 2, connectWithinMs: PATIENCE_MS });
    try {
      return await work({ database, keyring });
    } finally {
      await database.close();
    }
  } finally {
    await joined.stop();
  }
}

/** As it was typed where npm was started. */
export function pathOf(file: string): string {
  return resolve(process.env['INIT_CWD'] ?? '.', file);
}

export const counted = (count: number, one: string, many = `${one}s`) =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

const UNREACHABLE = ['ECONNREFUSED', 'ENOTFOUND', 'ETIMEDOUT', 'EHOSTUNREACH', 'EAI_AGAIN', '3D000'];

/** One sentence for what a person can put right; the whole trace for what only a programmer can. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof Refusal || error instanceof ConfigError || error instanceof ClusterError) {
    return error.message;
  }
  const code = 'code' in error ? String(error.code) : '';
  if (code === '28P01' || code === '28000') {
    return "SECRET_KEY doesn't match this database. Set the key that Sayso runs with.";
  }
  if (code === '53100')
    return "The database's disk is full, so nothing was changed. Free some space and try again.";
  if (UNREACHABLE.includes(code)) return `DATABASE_URL: Sayso can't reach the database (${code}).`;
  return error.stack ?? error.message;
}

/** Runs a command to its exit code. */
export function runCommand(main: (args: readonly string[]) => Promise<number>): void {
  main(process.argv.slice(2)).then(
    (code) => process.exit(code),
    (error: unknown) => {
      console.error(sentenceOf(error));
      process.exit(1);
    },
  );
}
