import { openErasures, writeErasures } from './backup/erasure-file.ts';
import { counted, joinDatabase, keysOf, PATIENCE_MS, pathOf, Refusal, runCommand } from './command.ts';
import { type Config, readConfig } from './platform/config.ts';
import { openDatabase } from './platform/database.ts';
import { refuseOtherKey } from './platform/installation.ts';
import { createLog } from './platform/log.ts';
import { isUpToDate, urlOfApp } from './platform/migrate.ts';
import type { Keyring } from './platform/secrets.ts';
import { withSecretKeys } from './platform/secrets.ts';
import { reapply, withServices } from './restored.ts';

/*
 * `npm run erasures -- FILE` lists who was erased, for a backup from before. `npm run erasures -- --apply FILE` erases
 * them again.
 */

async function write(url: string, keyring: Keyring, path: string): Promise<number> {
  const database = openDatabase(urlOfApp(url, keyring), {
    log: createLog('silent'),
    maxConnections: 2,
    connectWithinMs: PATIENCE_MS,
  });
  try {
    const { customers } = await writeErasures(path, database);
    console.log(
      `Listed ${counted(customers, 'erased customer')} and all existing accounts and organizations in ${path}.`,
    );
    return 0;
  } finally {
    await database.close();
  }
}

async function apply(url: string, config: Config, path: string): Promise<number> {
  const erasures = await openErasures(path);
  return withServices(withSecretKeys(config), url, async (services) =>
    (await reapply(services, erasures)) ? 0 : 1,
  );
}

runCommand(async (args) => {
  const isApplying = args[0] === '--apply';
  const [file, ...others] = isApplying ? args.slice(1) : args;
  if (file === undefined || others.length > 0 || file.startsWith('-')) {
    throw new Refusal(
      'Name the file: npm run erasures -- FILE writes it, npm run erasures -- --apply FILE applies it.',
    );
  }
  const config = readConfig();
  const keyring = keysOf(config);
  const joined = await joinDatabase(config);
  try {
    await refuseOtherKey(joined.url, keyring);
    if (!(await isUpToDate(joined.url))) {
      throw new Refusal(
        'The database is from an older version. Start this version of Sayso once, then try again.',
      );
    }
    const path = pathOf(file);
    return isApplying ? await apply(joined.url, config, path) : await write(joined.url, keyring, path);
  } finally {
    await joined.stop();
  }
});
