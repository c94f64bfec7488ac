import * as contract from '#contract/deliveries.ts';
import type { Api } from '#server/accounts/access/access.ts';
import type { Services } from '#server/platform/services.ts';
import { countReplays, getDelivery, listDeliveries, replayDelivery, replayFailed } from './deliveries.ts';

export function deliveryRoutes(api: Api, services: Services): void {
  api(contract.listDeliveries, async ({ site, query }) => listDeliveries(services, site.id, query));

  api(contract.countReplays, async ({ site, query }) => countReplays(services, site.id, query));

  api(contract.replayDeliveries, async ({ site, body }) => replayFailed(services, site.id, body));

  api(contract.getDelivery, async ({ site, params }) => getDelivery(services, site.id, params.id));

  api(contract.replayDelivery, async ({ site, params }) => replayDelivery(services, site.id, params.id));
}
