import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError, readConfig } from './platform/config.ts';
import { type Database, openDatabase } from './platform/database.ts';
import { createLog } from './platform/log.ts';
import { isUpToDate, urlOfApp } from './platform/migrate.ts';
import { ClusterError } from './platform/postgres/cluster-error.ts';
import { joinEmbeddedPostgres } from './platform/postgres/running.ts';
import { createKeyring, type Keyring, withSecretKeys } from './platform/secrets.ts';

/* What the commands share that open the database beside a running product, or without one. */

/** What a person can put right, in one sentence. */
export class Refusal extends Error {}

const NO_DATABASE = 'There is no database yet: start Sayso once, or set DATABASE_URL or DATA_DIR.';

function keysOf(config: Config): Keyring {
  // Nothing is made here that was not there.
  if (config.secretKeys.length === 0 && !existsSync(join(config.dataDir, 'secret.key'))) {
    throw new Refusal(NO_DATABASE);
  }
  return createKeyring(withSecretKeys(config).secretKeys);
}

/** @throws Refusal where there is no database of this version */
export async function withDatabase<T>(
  work: (opened: { database: Database; keyring: Keyring }) => Promise<T>,
): Promise<T> {
  const config = readConfig();
  const log = createLog('warn');
  const keyring = keysOf(config);
  const joined =
    config.databaseUrl === ''
      ? await joinEmbeddedPostgres({ dataDir: config.dataDir, log })
      : { url: config.databaseUrl, stop: async () => {} };
  if (joined === null) throw new Refusal(NO_DATABASE);
  try {
    const url = urlOfApp(joined.url, keyring);
    if (!(await isUpToDate(url))) {
      throw new Refusal('The database is of an older version: start this version of Sayso once.');
    }
    // What goes wrong is thrown; an idle connection that ends with the database is no news.
    const database = openDatabase(url, { log: createLog('silent'), maxConnections: 2 });
    try {
      return await work({ database, keyring });
    } finally {
      await database.close();
    }
  } finally {
    await joined.stop();
  }
}

/** One sentence for what a person can put right; the whole trace for what only a programmer can. */
function sentenceOfError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof Refusal || error instanceof ConfigError || error instanceof ClusterError) {
    return error.message;
  }
  const code = 'code' in error ? String(error.code) : '';
  if (code === '28P01' || code === '28000') {
    return 'The database does not know the role of this SECRET_KEY: set the key that Sayso runs with.';
  }
  if (['ECONNREFUSED', 'ENOTFOUND', 'ETIMEDOUT', 'EHOSTUNREACH', 'EAI_AGAIN', '3D000'].includes(code)) {
    return `DATABASE_URL: the database cannot be reached (${code}).`;
  }
  return error.stack ?? error.message;
}

/** Ends the process with the code that `main` gives, or with 1 and a sentence. */
export function runCommand(main: () => Promise<number>): void {
  main().then(
    (code) => process.exit(code),
    (error: unknown) => {
      console.error(sentenceOfError(error));
      process.exit(1);
    },
  );
}
