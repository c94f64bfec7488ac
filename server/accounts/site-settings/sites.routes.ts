import * as contract from '#contract/sites.ts';
import type { Api } from '#server/accounts/access/access.ts';
import { createSite, listSites } from '#server/accounts/sites/sites.ts';
import type { Services } from '#server/platform/services.ts';
import { type SiteHooks, updateSite } from './site-settings.ts';

export function siteRoutes(api: Api, services: Services, hooks: SiteHooks): void {
  for (const route of [contract.listSites, contract.listSitesV1_1]) {
    api(route, async ({ organization }) => ({
      results: await listSites(services, organization.id),
      next: null,
    }));
  }

  api(contract.createSite, async ({ organization, body }) => createSite(services, organization.id, body));

  api(contract.updateSite, async ({ site, actor, body }) =>
    updateSite(
      services,
      { organizationId: site.organizationId, siteId: site.id, userId: actor.userId },
      body,
      hooks,
    ),
  );
}
