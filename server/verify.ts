import { runCommand, withDatabase } from './command.ts';
import { verifyAll } from './verify-all.ts';

/* `npm run verify`: all evidence of all sites is computed again. It reads only, beside a running product or without one. */

runCommand(() =>
  withDatabase(async ({ database, keyring }) => ((await verifyAll(database, keyring)) ? 0 : 1)),
);
