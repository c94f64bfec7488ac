import * as contract from '#contract/sites.ts';
import type { Api } from '#server/accounts/access/access.ts';
import { sendTestEmail } from '#server/visit/customer-mails/test-email.ts';
import type { Services } from '#server/platform/services.ts';
import { createSite, listSites, updateSite } from '#server/accounts/sites/sites.ts';

export function siteRoutes(api: Api, services: Services): void {
  for (const route of [contract.listSites, contract.listSitesV1_1]) {
    api(route, async ({ organization }) => ({
      results: await listSites(services, organization.id),
      next: null,
    }));
  }

  api(contract.createSite, async ({ organization, body }) => createSite(services, organization.id, body));

  api(contract.updateSite, async ({ site, body }) =>
    updateSite(services, site.organizationId, site.id, body),
  );

  api(contract.sendTestEmail, async ({ site, actor }) => sendTestEmail(services, site.id, actor.userId));
}
