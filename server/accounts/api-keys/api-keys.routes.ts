import * as contract from '#contract/api-keys.ts';
import type { Api } from '#server/accounts/access/access.ts';
import type { Services } from '#server/platform/services.ts';
import { createKey, listKeys, revokeKey } from './api-keys.ts';

export function apiKeyRoutes(api: Api, services: Services): void {
  api(contract.listApiKeys, async ({ site }) => ({
    results: await listKeys(services, site.id),
    next: null,
  }));

  api(contract.createApiKey, async ({ site, actor, body }) =>
    createKey(services, site.id, actor.userId, body),
  );

  api(contract.revokeApiKey, async ({ site, params }) => {
    await revokeKey(services, site.id, params.id);
    return null;
  });
}
