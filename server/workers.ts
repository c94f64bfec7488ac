import { startDomainChecks } from './accounts/domains/domains.jobs.ts';
import { startClosing } from './accounts/organizations/closing.ts';
import { startEvidenceChecks } from './audience/evidence-checks/evidence-checks.jobs.ts';
import { LATE_NOTICES } from './delivery/late-notices/late-notices.ts';
import { startRetention } from './delivery/retention/retention.jobs.ts';
import { startDeliveries } from './delivery/sending/deliveries.jobs.ts';
import { areWorkersPaused } from './platform/installation.ts';
import type { Services } from './platform/services.ts';
import { startTicks } from './platform/ticks.ts';
import { startResealing } from './shell/keys/reseal.ts';
import { COMPARISONS, MENDINGS } from './sync/comparisons/comparisons.jobs.ts';
import { startImports } from './sync/imports/imports.jobs.ts';
import { startInbound } from './sync/inbound/inbound.jobs.ts';
import { POLLS } from './sync/inbound/polls.ts';
import { LINKS } from './sync/tool-links/keep-links.ts';
import { startChore } from './tools/schedule/tool-chores.ts';
import { startTokenRenewals } from './tools/tokens/tokens.jobs.ts';
import { startCustomerMails } from './visit/customer-mails/customer-mails.jobs.ts';
import { startAppointments } from './visit/customers/appointments.jobs.ts';

/** What is done with connected tools from time to time. */
const CHORES = [POLLS, LINKS, COMPARISONS, MENDINGS, LATE_NOTICES];

const LOOK_EVERY_MS = 1000;

interface Workers {
  /** Ends what is in hand. */
  stop(): Promise<void>;
}

async function startWorkers(services: Services): Promise<Workers> {
  await startCustomerMails(services);
  await startInbound(services);
  await startImports(services);
  const rounds = [
    startDeliveries(services),
    startAppointments(services),
    ...CHORES.map((chore) => startChore(services, chore)),
    startClosing(services),
    startTokenRenewals(services),
    startDomainChecks(services),
    startEvidenceChecks(services),
    startRetention(services),
    startResealing(services),
  ];
  return {
    async stop() {
      await Promise.all(rounds.map((round) => round.stop()));
    },
  };
}

const PAUSED =
  'the workers are paused: this database was restored from a backup. Nothing is sent and no tool is asked until `npm run resume`';

/**
 * Starts the workers; in a restored copy once somebody says that they may. The product that the backup was taken of may
 * still be at work, with the same tools.
 */
export async function startWorkersWhenAllowed(services: Services): Promise<Workers> {
  const { global } = services.database;
  if (!(await areWorkersPaused(global))) return startWorkers(services);
  services.log.warn(PAUSED);
  let started: Workers | null = null;
  const looks = startTicks('paused workers', LOOK_EVERY_MS, services.log, async (signal) => {
    if (started !== null || signal.aborted || (await areWorkersPaused(global))) return;
    started = await startWorkers(services);
    services.log.info('the workers are at work');
  });
  return {
    async stop() {
      await looks.stop();
      await started?.stop();
    },
  };
}
