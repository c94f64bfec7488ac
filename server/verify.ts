import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { EvidenceFinding } from '#contract/evidence-check.ts';
import { examineSite } from './features/evidence-checks/evidence-checks.ts';
import { allSiteIds, siteById } from './features/sites/sites.sql.ts';
import { type Config, ConfigError, readConfig } from './platform/config.ts';
import { type Database, openDatabase } from './platform/database.ts';
import { createLog, type Log } from './platform/log.ts';
import { isUpToDate, urlOfApp } from './platform/migrate.ts';
import { ClusterError } from './platform/postgres/cluster-error.ts';
import { joinEmbeddedPostgres } from './platform/postgres/running.ts';
import { createKeyring, type Keyring, withSecretKeys } from './platform/secrets.ts';

/* `npm run verify`: all evidence of all sites is computed again. It reads only, beside a running product or without one. */

/** A long check says that it goes on. */
const SAY_EVERY_RECORDS = 50_000;

class Refusal extends Error {}

const NO_DATABASE = 'There is no database yet: start Sayso once, or set DATABASE_URL or DATA_DIR.';

const counted = (count: number, one: string, many = `${one}s`) =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

const PROBLEMS: Record<EvidenceFinding['problem'], string> = {
  altered: 'was altered',
  missing: 'is missing',
  unlinked: 'does not follow the record before it',
  unexpected: 'was not recorded by Sayso',
  rewritten: 'records that the last nightly check saw were altered or removed, together with their chains',
};

function sentenceOf({ problem, customer_id, sequence, record_id }: EvidenceFinding): string {
  if (customer_id === null) return PROBLEMS[problem];
  const id = record_id === null ? '' : ` (${record_id})`;
  return `customer ${customer_id}: record ${sequence}${id} ${PROBLEMS[problem]}`;
}

/** @returns whether all of it holds */
async function verifyAll(database: Database, keyring: Keyring): Promise<boolean> {
  const total = { sites: 0, records: 0, chains: 0, broken: 0 };
  for await (const siteId of allSiteIds(database.global)) {
    const site = await siteById(database.global, siteId);
    const name = `${site?.domain_name ?? 'site'} (${siteId})`;
    let said = 0;
    const found = await examineSite({ database, keyring }, siteId, {
      onProgress(records) {
        if (records < said + SAY_EVERY_RECORDS) return;
        said = records;
        console.log(`${name}: ${counted(records, 'record')} so far`);
      },
    });
    const { records, chains, broken, findings } = found;
    const result = broken === 0 ? 'all hold' : `${counted(broken, 'chain')} broken`;
    console.log(`${name}: ${counted(records, 'record')} in ${counted(chains, 'chain')}, ${result}`);
    for (const finding of findings) console.log(`  ${sentenceOf(finding)}`);
    if (broken > findings.length) console.log(`  and ${counted(broken - findings.length, 'other chain')}`);
    total.sites += 1;
    total.records += records;
    total.chains += chains;
    total.broken += broken;
  }
  const all = `${counted(total.records, 'record')} in ${counted(total.chains, 'chain')} of ${counted(total.sites, 'site')}`;
  console.log(
    total.broken === 0
      ? `Verified ${all}: the evidence is as it was recorded.`
      : `Verified ${all}: ${counted(total.broken, 'chain')} broken, see above.`,
  );
  return total.broken === 0;
}

function keysOf(config: Config): Keyring {
  // Nothing is made here that was not there.
  if (config.secretKeys.length === 0 && !existsSync(join(config.dataDir, 'secret.key'))) {
    throw new Refusal(NO_DATABASE);
  }
  return createKeyring(withSecretKeys(config).secretKeys);
}

async function databaseOf(config: Config, log: Log) {
  const joined =
    config.databaseUrl === ''
      ? await joinEmbeddedPostgres({ dataDir: config.dataDir, log })
      : { url: config.databaseUrl, stop: async () => {} };
  if (joined === null) throw new Refusal(NO_DATABASE);
  return joined;
}

async function main(): Promise<number> {
  const config = readConfig();
  const log = createLog('warn');
  const keyring = keysOf(config);
  const joined = await databaseOf(config, log);
  try {
    const url = urlOfApp(joined.url, keyring);
    if (!(await isUpToDate(url))) {
      throw new Refusal('The database is of an older version: start this version of Sayso once.');
    }
    // What goes wrong is thrown; an idle connection that ends with the database is no news.
    const database = openDatabase(url, { log: createLog('silent'), maxConnections: 2 });
    try {
      return (await verifyAll(database, keyring)) ? 0 : 1;
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

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(sentenceOfError(error));
    process.exit(1);
  },
);
