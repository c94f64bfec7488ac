import { forgetReports } from '#server/accounts/abuse-reports/abuse-reports.ts';
import { forgetEntries } from '#server/accounts/audit-log/audit-log.ts';
import { forgetChecks } from '#server/audience/evidence-checks/evidence-checks.ts';
import type { Services } from '#server/platform/services.ts';

const DAY_MS = 86_400_000;
const ROWS_AT_ONCE = 500;

/** A year of nightly checks; the last one stays, however old it is. */
const CHECK_DAYS = 365;

/** A report to the operator of the service is deleted then, whether or not it was acted on. */
const REPORT_DAYS = 365;

/** Deletes old audit entries, evidence checks and abuse reports of a site, a few hundred at a time (decision 077). */
export async function forgetRecords(
  { config, clock, database }: Services,
  siteId: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const daysAgo = (days: number) => new Date(clock.now().getTime() - days * DAY_MS);
  for (const [forget, before] of [
    [forgetEntries, daysAgo(config.auditLogDays)],
    [forgetChecks, daysAgo(CHECK_DAYS)],
    [forgetReports, daysAgo(REPORT_DAYS)],
  ] as const) {
    let forgotten = ROWS_AT_ONCE;
    while (signal?.aborted !== true && forgotten > 0)
      forgotten = await database.inSite(siteId, (site) => forget(site, before, ROWS_AT_ONCE));
  }
}
