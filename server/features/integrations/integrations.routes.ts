import * as contract from '#contract/integrations.ts';
import { finishOAuth, startOAuth } from '#contract/oauth.ts';
import type { Api } from '#server/features/access/access.ts';
import type { Services } from '#server/platform/services.ts';
import { listConnectors } from './catalogue.ts';
import {
  addIntegration,
  changeIntegration,
  getIntegration,
  listIntegrations,
  listResources,
  removeIntegration,
  verifyIntegration,
} from './integrations.ts';
import { beginOAuth, endOAuth } from './oauth.ts';

export function integrationRoutes(api: Api, services: Services): void {
  api(contract.listConnectors, async () => ({ results: listConnectors(services), next: null }));

  api(contract.listIntegrations, async ({ site }) => ({
    results: await listIntegrations(services, site.id),
    next: null,
  }));

  api(contract.createIntegration, async ({ site, body }) => addIntegration(services, site.id, body));

  api(contract.getIntegration, async ({ site, params }) => getIntegration(services, site.id, params.id));

  api(contract.updateIntegration, async ({ site, params, body }) =>
    changeIntegration(services, site.id, params.id, body),
  );

  api(contract.deleteIntegration, async ({ site, params }) => {
    await removeIntegration(services, site.id, params.id);
    return null;
  });

  api(contract.verifyIntegration, async ({ site, params }) =>
    verifyIntegration(services, site.id, params.id),
  );

  api(contract.listToolResources, async ({ site, params, query }) => ({
    results: await listResources(services, site.id, params.id, query.kind),
    next: null,
  }));

  api(startOAuth, async ({ site, actor, body }) =>
    beginOAuth(
      services,
      { userId: actor.userId, organizationId: site.organizationId, siteId: site.id },
      body,
    ),
  );

  api(finishOAuth, async ({ user, body }) => endOAuth(services, user.id, body));
}
