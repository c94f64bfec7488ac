import type { AuditEvent } from '#contract/audit-log.ts';
import { recordChange, type Subject } from '#server/accounts/audit-log/audit-log.ts';
import { siteIdsOfOrganization } from '#server/accounts/sites/sites.sql.ts';
import { enterSite, type GlobalDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';
import { membershipsOf } from './members.sql.ts';

/**
 * Events of the organization are in the audit log of each of its sites. Must come last in the transaction, because it
 * switches it to a site.
 */
export async function recordOfOrganization(
  services: Pick<Services, 'clock'>,
  tx: GlobalDb,
  organizationId: string,
  event: AuditEvent,
  subject: Subject,
): Promise<void> {
  for (const siteId of await siteIdsOfOrganization(tx, organizationId)) {
    await recordChange(services, await enterSite(tx, siteId), event, subject);
  }
}

/** The same for an account. */
export async function recordOfAccount(
  services: Pick<Services, 'clock'>,
  tx: GlobalDb,
  userId: string,
  event: AuditEvent,
  name?: string,
): Promise<void> {
  for (const { organization_id } of await membershipsOf(tx, userId)) {
    await recordOfOrganization(services, tx, organization_id, event, {
      id: userId,
      ...(name === undefined ? {} : { name }),
    });
  }
}
