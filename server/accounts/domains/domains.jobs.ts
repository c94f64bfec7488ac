import { cleanUpHosts } from '#server/accounts/sites/hosts.ts';
import { intervalTask } from '#server/platform/interval-worker.ts';
import type { Services } from '#server/platform/services.ts';
import { checkRecords, notifyDomainOwners } from './domains.ts';
import { claimDueDomains, type DomainRow } from './domains.sql.ts';

const EVERY_MS = 30_000;
const BATCH = 20;
/** After a worker dies, others take over its domain after this time. */
const LEASE_MS = 5 * 60_000;

export const DOMAIN_CHECKS = intervalTask({ name: 'domains', everyMs: EVERY_MS, run: checkDueDomains });

/** Checks the records of all domains that are due, and cleans up unused host names. */
export async function checkDueDomains(services: Services, signal?: AbortSignal): Promise<void> {
  const now = services.clock.now();
  await cleanUpHosts(services);
  const leasedUntil = new Date(now.getTime() + LEASE_MS);
  while (signal?.aborted !== true) {
    const due = await services.database.inTransaction((tx) => claimDueDomains(tx, now, leasedUntil, BATCH));
    if (due.length === 0) return;
    await Promise.all(due.map((domain) => checkAndTell(services, domain)));
  }
}

async function checkAndTell(services: Services, domain: DomainRow): Promise<void> {
  try {
    const news = await checkRecords(services, domain);
    if (news !== null) await notifyDomainOwners(services, domain, news);
  } catch (error) {
    services.log.warn({ err: error, site: domain.site_id }, 'a domain check failed and will be tried again');
  }
}
