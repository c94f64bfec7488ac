import * as contract from '#contract/sites.ts';
import type { Api } from '#server/features/access/access.ts';
import type { Services } from '#server/platform/services.ts';
import { createSite, listSites, updateSite } from './sites.ts';

export function siteRoutes(api: Api, services: Services): void {
  for (const route of [contract.listSites, contract.listSitesV1_1]) {
    api(route, async ({ user, params }) => ({
      results: await listSites(services, user.id, params.organization_id),
      next: null,
    }));
  }

  api(contract.createSite, async ({ user, params, body }) =>
    createSite(services, user.id, params.organization_id, body),
  );

  api(contract.updateSite, async ({ user, params, body }) =>
    updateSite(services, user.id, params.organization_id, params.site_id, body),
  );
}
