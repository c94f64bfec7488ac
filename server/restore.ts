import { openErasures } from './backup/erasure-file.ts';
import { openBackup, restoreBackup } from './backup/restore-backup.ts';
import { makeDatabase, pathOf, Refusal, runCommand } from './command.ts';
import { readConfig } from './platform/config.ts';
import { createKeyring, hasSecretKeys, withSecretKeys } from './platform/secrets.ts';
import { reapply, withServices } from './restored.ts';
import { verifyAll } from './verify-all.ts';

/* `npm run restore -- FILE [--erasures FILE]`: fills an empty database from a backup. */

const USAGE = 'Name the backup: npm run restore -- FILE [--erasures FILE]';

function filesOf(args: readonly string[]): { backup: string; erasures: string | null } {
  const at = args.indexOf('--erasures');
  const erasures = at === -1 ? null : args[at + 1];
  const [backup, ...others] = args.filter((_, index) => at === -1 || (index !== at && index !== at + 1));
  if (backup === undefined || backup.startsWith('-') || others.length > 0 || erasures === undefined) {
    throw new Refusal(USAGE);
  }
  return { backup: pathOf(backup), erasures: erasures === null ? null : pathOf(erasures) };
}

runCommand(async (args) => {
  const files = filesOf(args);
  const settings = readConfig();
  if (!hasSecretKeys(settings)) {
    throw new Refusal(
      `SECRET_KEY: set the key that the backup was taken with, or put its file secret.key into ${settings.dataDir}. Without it, Sayso can't decrypt the credentials, and links in emails stop working.`,
    );
  }
  const config = withSecretKeys(settings);
  const keyring = createKeyring(config.secretKeys);
  const say = (line: string) => console.log(line);
  const backup = await openBackup(files.backup, { keyring, say });
  const erasures = files.erasures === null ? null : await openErasures(files.erasures);
  const database = await makeDatabase(config);
  try {
    await restoreBackup(backup, { url: database.url, keyring, say });
    console.log(`Restored ${files.backup}, taken at ${backup.header.taken_at}. The workers are paused.`);
    const isWell = await withServices(config, database.url, async (services) => {
      const holds = await verifyAll(services.database, keyring);
      const isErased = erasures === null || (await reapply(services, erasures));
      return holds && isErased;
    });
    if (erasures === null) {
      console.log(
        'Erasures after the backup are not applied. Run npm run erasures -- --apply FILE, with a list from the Sayso that ran last.',
      );
    }
    console.log('Start Sayso, check it, then resume the workers: npm run resume');
    return isWell ? 0 : 1;
  } finally {
    await database.stop();
  }
});
