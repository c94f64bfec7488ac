import type { AuditEvent } from '#contract/audit-log.ts';
import { recordChange } from '#server/accounts/audit-log/audit-log.ts';
import { siteIdsOfOrganization } from '#server/accounts/sites/sites.sql.ts';
import { enterSite, type GlobalDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';
import { membershipsOf } from './members.sql.ts';

/** What is no site's own is in the audit log of every site of the organization. */
export async function recordOfOrganization(
  services: Pick<Services, 'clock'>,
  tx: GlobalDb,
  organizationId: string,
  event: AuditEvent,
  subject: { id?: string; name?: string },
): Promise<void> {
  for (const siteId of await siteIdsOfOrganization(tx, organizationId)) {
    await recordChange(services, await enterSite(tx, siteId), event, subject);
  }
}

/** The same for an account: last in its transaction, which is one of a site from then on. */
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
