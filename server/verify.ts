import { joinDatabase, keysOf, PATIENCE_MS, Refusal, runCommand } from './command.ts';
import { readConfig } from './platform/config.ts';
import { openDatabase } from './platform/database.ts';
import { refuseOtherKey } from './platform/installation.ts';
import { createLog } from './platform/log.ts';
import { isUpToDate, urlOfApp } from './platform/migrate.ts';
import { verifyAll } from './verify-all.ts';

/* `npm run verify`: all evidence of all sites is computed again. It reads only, beside a running product or without one. */

runCommand(async () => {
  const config = readConfig();
  const keyring = keysOf(config);
  const joined = await joinDatabase(config);
  try {
    await refuseOtherKey(joined.url, keyring);
    const url = urlOfApp(joined.url, keyring);
    if (!(await isUpToDate(url))) {
      throw new Refusal('The database is of an older version: start this version of Sayso once.');
    }
    // What goes wrong is thrown; an idle connection that ends with the database is no news.
    const database = openDatabase(url, {
      log: createLog('silent'),
      maxConnections: 2,
      connectWithinMs: PATIENCE_MS,
    });
    try {
      return (await verifyAll(database, keyring)) ? 0 : 1;
    } finally {
      await database.close();
    }
  } finally {
    await joined.stop();
  }
});
