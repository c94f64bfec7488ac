import pg from 'pg';
import { joinDatabase, keysOf, Refusal, runCommand } from './command.ts';
import { readConfig } from './platform/config.ts';
import { refuseOtherKey, resumeWorkers } from './platform/installation.ts';
import { isUpToDate } from './platform/migrate.ts';

/* `npm run resume`: the workers of a restored copy may work from now on. */

runCommand(async () => {
  const config = readConfig();
  const keyring = keysOf(config);
  const joined = await joinDatabase(config);
  const client = new pg.Client({ connectionString: joined.url });
  try {
    await client.connect();
    await refuseOtherKey(joined.url, keyring);
    if (!(await isUpToDate(joined.url))) {
      throw new Refusal(
        'The database is from an older version. Start this version of Sayso once, then try again.',
      );
    }
    const werePaused = await resumeWorkers(client);
    console.log(werePaused ? 'The workers are running again.' : "The workers weren't paused.");
    return 0;
  } finally {
    await client.end();
    await joined.stop();
  }
});
