import * as contract from '#contract/integrations.ts';
import type { Integration } from '#contract/integrations.ts';
import { finishOAuth, startOAuth } from '#contract/oauth.ts';
import { isAtLeast } from '#contract/roles.ts';
import type { Actor, Api } from '#server/accounts/access/access.ts';
import type { Services } from '#server/platform/services.ts';
import { listConnectors } from '#server/tools/integrations/catalogue.ts';
import {
  addIntegration,
  changeIntegration,
  getIntegration,
  listIntegrations,
  listResources,
  removeIntegration,
  setUpWebhook,
  verifyIntegration,
} from './tool-setup.ts';
import { beginOAuth, endOAuth } from './oauth-login.ts';

/** Who has the address for a tool's events can make up events. */
function seenBy({ role }: Actor, integration: Integration): Integration {
  return isAtLeast(role, 'editor') ? integration : { ...integration, webhook_url: null };
}

export function integrationRoutes(api: Api, services: Services): void {
  api(contract.listConnectors, async () => ({ results: listConnectors(services), next: null }));

  api(contract.listIntegrations, async ({ site, actor }) => ({
    results: (await listIntegrations(services, site.id)).map((one) => seenBy(actor, one)),
    next: null,
  }));

  api(contract.createIntegration, async ({ site, body }) => addIntegration(services, site.id, body));

  api(contract.getIntegration, async ({ site, actor, params }) =>
    seenBy(actor, await getIntegration(services, site.id, params.id)),
  );

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

  api(contract.setUpWebhook, async ({ site, params }) => setUpWebhook(services, site.id, params.id));

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
