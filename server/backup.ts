import { takeBackup } from './backup/take-backup.ts';
import { counted, joinDatabase, keysOf, pathOf, Refusal, runCommand } from './command.ts';
import { readConfig } from './platform/config.ts';
import { refuseOtherKey } from './platform/installation.ts';
import { isUpToDate } from './platform/migrate.ts';

/* `npm run backup -- FILE`: everything that the database holds, in one file, beside a running product or without one. */

runCommand(async ([file, ...others]) => {
  if (file === undefined || others.length > 0 || file.startsWith('-')) {
    throw new Refusal('Name the file to write: npm run backup -- FILE');
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
    const say = (line: string) => console.log(line);
    const { rows, tables } = await takeBackup(path, { url: joined.url, keyring, say });
    console.log(
      `Backed up ${counted(rows, 'row')} of ${counted(tables, 'table')} to ${path}. SECRET_KEY is not in it: store the key too, somewhere else.`,
    );
    return 0;
  } finally {
    await joined.stop();
  }
});
