import { allOpenReports, describeReport, dismissReports } from './accounts/abuse-reports/abuse-reports.ts';
import { findSiteOfName } from './accounts/sites/hosts.ts';
import { MAX_TAKE_DOWN_REASON, putBack, takeDown } from './accounts/take-downs/take-downs.ts';
import { counted, Refusal, runCommand, withDatabase } from './command.ts';
import { systemClock } from './platform/clock.ts';
import { readConfig } from './platform/config.ts';
import { createLog } from './platform/log.ts';
import { createMailer, oneLine } from './platform/mail.ts';

/*
 * `npm run operator -- reports`: lists what visitors reported. `-- take-down HOST --reason "..."` takes the public pages of
 * a site down, `-- put-back HOST` serves them again, `-- dismiss HOST` closes the reports about a site without either.
 */

const USAGE = [
  'npm run operator -- reports',
  'npm run operator -- take-down HOST --reason "..."',
  'npm run operator -- put-back HOST',
  'npm run operator -- dismiss HOST',
].join('\n');

type Command =
  | { name: 'reports' }
  | { name: 'take-down'; host: string; reason: string }
  | { name: 'put-back'; host: string }
  | { name: 'dismiss'; host: string };

function commandOf([name, host, ...more]: readonly string[]): Command {
  if (name === 'reports' && host === undefined) return { name };
  if (host === undefined || host.startsWith('-')) throw new Refusal(USAGE);
  if ((name === 'put-back' || name === 'dismiss') && more.length === 0) return { name, host };
  if (name !== 'take-down') throw new Refusal(USAGE);
  const [option, value, ...rest] = more;
  const reason = oneLine(value ?? '');
  if (option !== '--reason' || reason === '' || rest.length > 0) {
    throw new Refusal('--reason: say why, in quotation marks. The owners of the site read it.');
  }
  if (reason.length > MAX_TAKE_DOWN_REASON) {
    throw new Refusal(`--reason: must have at most ${MAX_TAKE_DOWN_REASON} characters.`);
  }
  return { name, host, reason };
}

const toldOwners = (isReached: boolean) =>
  isReached
    ? 'Its owners were emailed.'
    : 'No email to its owners could be sent. They see it when they open Sayso.';

async function main(args: readonly string[]): Promise<number> {
  const command = commandOf(args);
  return withDatabase(async ({ database, keyring }) => {
    const config = readConfig();
    const log = createLog('silent');
    const clock = systemClock;
    const services = { config, database, keyring, log, clock, mailer: createMailer(config, database, clock) };
    if (command.name === 'reports') {
      let count = 0;
      for await (const report of allOpenReports(services)) {
        console.log(`${describeReport(services, report)}\n`);
        count += 1;
      }
      console.log(count === 0 ? 'No open reports.' : `${counted(count, 'open report')}.`);
      return 0;
    }
    const { host } = command;
    const siteId = await findSiteOfName(services, host);
    if (siteId === null) throw new Refusal(`HOST: no site is served at ${host}.`);
    if (command.name === 'dismiss') {
      console.log(`${host}: ${counted(await dismissReports(services, siteId), 'report')} closed.`);
      return 0;
    }
    if (command.name === 'put-back') {
      const isReached = await putBack(services, siteId);
      if (isReached === null) throw new Refusal(`HOST: the pages of ${host} aren't taken down.`);
      console.log(`The pages of ${host} are served again. ${toldOwners(isReached)}`);
      return 0;
    }
    const isReached = await takeDown(services, siteId, command.reason);
    if (isReached === null) throw new Refusal(`HOST: the pages of ${host} are taken down already.`);
    console.log(
      `The pages of ${host} answer 410 from now on. Personal links still unsubscribe. ${toldOwners(isReached)}`,
    );
    return 0;
  });
}

runCommand(main);
