import { ABUSE_MAIL_WORKER } from './accounts/abuse-reports/abuse-reports.jobs.ts';
import { ACCOUNT_RETENTION } from './accounts/accounts/forget-accounts.ts';
import { KEY_USES } from './accounts/api-keys/key-uses.ts';
import { DOMAIN_CHECKS } from './accounts/domains/domains.jobs.ts';
import { ORGANIZATION_DELETION } from './accounts/organizations/organization-deletion.ts';
import { EVIDENCE_CHECKS } from './audience/evidence-checks/evidence-checks.jobs.ts';
import { LATE_NOTICES } from './delivery/late-notices/late-notices.ts';
import { RETENTION } from './delivery/retention/retention.jobs.ts';
import { HELD_DELIVERIES } from './delivery/deliveries/held-deliveries.ts';
import { DELIVERIES } from './delivery/sending/deliveries.jobs.ts';
import { SHOWN_TEXTS } from './pages/shown-texts/shown-texts.jobs.ts';
import { type BackgroundTask, type Running, startTasks } from './platform/background-task.ts';
import { areWorkersPaused } from './platform/installation.ts';
import { startIntervalWorker } from './platform/interval-worker.ts';
import type { Services } from './platform/services.ts';
import { TABLE_STATISTICS } from './platform/table-statistics.ts';
import { REENCRYPTION } from './shell/keys/re-encrypt.ts';
import { SITE_COUNTS } from './shell/system/site-counts.ts';
import { RECONCILIATION, REPAIRS } from './sync/reconciliation/reconciliation.jobs.ts';
import { IMPORT_WORKER } from './sync/imports/imports.jobs.ts';
import { INBOUND_WORKER } from './sync/inbound/inbound.jobs.ts';
import { POLLS } from './sync/inbound/polls.ts';
import { WEBHOOK_CHECKS } from './sync/inbound/webhook-registration.ts';
import { LINKS } from './sync/tool-links/link-field-sync.ts';
import { TOKEN_RENEWALS } from './tools/tokens/tokens.jobs.ts';
import { BULK_UNDO_WORKER } from './visit/bulk-changes/undo.jobs.ts';
import { CUSTOMER_MAIL_WORKER } from './visit/customer-mails/customer-mails.jobs.ts';
import { CUSTOMER_TIMERS } from './visit/customers/customer-timers.jobs.ts';

/** `active worker`: not while the workers of a restored copy are paused. */
type RunsIn = 'every process' | 'worker' | 'active worker';

/** All background work, in the order in which it starts. */
const BACKGROUND: readonly [BackgroundTask, RunsIn][] = [
  [TABLE_STATISTICS, 'every process'],
  [KEY_USES, 'every process'],
  [SHOWN_TEXTS, 'every process'],
  [SITE_COUNTS, 'worker'],
  [CUSTOMER_MAIL_WORKER, 'active worker'],
  [ABUSE_MAIL_WORKER, 'active worker'],
  [INBOUND_WORKER, 'active worker'],
  [IMPORT_WORKER, 'active worker'],
  [BULK_UNDO_WORKER, 'active worker'],
  [DELIVERIES, 'active worker'],
  [HELD_DELIVERIES, 'active worker'],
  [CUSTOMER_TIMERS, 'active worker'],
  [POLLS, 'active worker'],
  [WEBHOOK_CHECKS, 'active worker'],
  [LINKS, 'active worker'],
  [RECONCILIATION, 'active worker'],
  [REPAIRS, 'active worker'],
  [LATE_NOTICES, 'active worker'],
  [ORGANIZATION_DELETION, 'active worker'],
  [TOKEN_RENEWALS, 'active worker'],
  [DOMAIN_CHECKS, 'active worker'],
  [EVIDENCE_CHECKS, 'active worker'],
  [RETENTION, 'active worker'],
  [ACCOUNT_RETENTION, 'active worker'],
  [REENCRYPTION, 'active worker'],
];

function tasksOf(place: RunsIn): BackgroundTask[] {
  return BACKGROUND.filter(([, runsIn]) => runsIn === place).map(([task]) => task);
}

/** Starts what this process does in the background. */
export async function startBackground(services: Services, { worker }: { worker: boolean }): Promise<Running> {
  const inWorkers = [...tasksOf('worker'), ACTIVE_WORKER];
  return startTasks(services, [...tasksOf('every process'), ...(worker ? inWorkers : [])]);
}

const LOOK_EVERY_MS = 1000;

const PAUSED =
  'the workers are paused because this database was restored from a backup. Sayso sends nothing until `npm run resume`';

/**
 * Starts the tasks of an active worker; in a restored copy once somebody says that they may. The product that the backup
 * was taken of may still be at work, with the same tools.
 */
const ACTIVE_WORKER: BackgroundTask = {
  name: 'active worker',
  async start(services) {
    const { global } = services.database;
    const tasks = tasksOf('active worker');
    if (!(await areWorkersPaused(global))) return startTasks(services, tasks);
    services.log.warn(PAUSED);
    let started: Running | null = null;
    const looks = startIntervalWorker('paused workers', LOOK_EVERY_MS, services.log, async (signal) => {
      if (started !== null || signal.aborted || (await areWorkersPaused(global))) return;
      started = await startTasks(services, tasks);
      services.log.info('the workers are running');
    });
    return {
      async stop() {
        await looks.stop();
        await started?.stop();
      },
    };
  },
};
