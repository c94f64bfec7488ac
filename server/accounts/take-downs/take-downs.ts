import type { AuditEvent } from '#contract/audit-log.ts';
import { closeReports } from '#server/accounts/abuse-reports/abuse-reports.ts';
import { recordChange } from '#server/accounts/audit-log/audit-log.ts';
import { runAsOperator } from '#server/accounts/audit-log/current-actor.ts';
import { notifyResponsible } from '#server/accounts/organizations/notify-responsible.ts';
import { siteTag } from '#server/accounts/sites/change-site.ts';
import { lockSite, setTakenDown, siteById } from '#server/accounts/sites/sites.sql.ts';
import { announceChange } from '#server/platform/cache.ts';
import { enterSite } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';
import { takeDownMail } from './take-downs.mails.ts';

type Operating = Pick<Services, 'config' | 'database' | 'clock' | 'log' | 'mailer'>;

/** The longest reason of a take-down, in characters. */
export const MAX_TAKE_DOWN_REASON = 500;

/**
 * Takes all public pages of a site down, closes the reports about them, and mails the owners.
 * @returns null if they are down already; otherwise whether an owner was reached
 */
export function takeDown(services: Operating, siteId: string, reason: string): Promise<boolean | null> {
  return change(services, siteId, reason);
}

/**
 * Serves the pages of a site again, and mails the owners.
 * @returns null if they are not down; otherwise whether an owner was reached
 */
export function putBack(services: Operating, siteId: string): Promise<boolean | null> {
  return change(services, siteId, null);
}

/** @param reason null: the pages are put back */
async function change(services: Operating, siteId: string, reason: string | null): Promise<boolean | null> {
  const now = services.clock.now();
  const isDown = reason !== null;
  const before = await services.database.inTransaction(async (tx) => {
    await lockSite(tx, siteId);
    const row = await siteById(tx, siteId);
    if (row === undefined || (row.taken_down_at !== null) === isDown) return null;
    await setTakenDown(tx, siteId, { taken_down_at: isDown ? now : null, taken_down_reason: reason ?? '' });
    await announceChange(tx, siteTag(siteId));
    const site = await enterSite(tx, siteId);
    if (isDown) await closeReports(site, now);
    const event: AuditEvent = isDown ? 'site.taken_down' : 'site.put_back';
    await runAsOperator(() =>
      recordChange(services, site, event, { id: siteId, name: row.name, ...(isDown && { reason }) }),
    );
    return row;
  });
  if (before === null) return null;
  return notifyResponsible(services, siteId, (language) =>
    takeDownMail({ site: before.name, reason, link: services.config.appUrl, language }),
  );
}
