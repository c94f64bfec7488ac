import * as contract from '#contract/audit-log.ts';
import type { Api } from '#server/accounts/access/access.ts';
import type { Services } from '#server/platform/services.ts';
import { listActors, listEntries } from './audit-log.ts';

export function auditLogRoutes(api: Api, services: Services): void {
  api(contract.listAuditLog, async ({ site, query }) => listEntries(services, site.id, query));

  api(contract.listAuditActors, async ({ site }) => ({
    results: await listActors(services, site.id),
    next: null,
  }));
}
