import * as contract from '#contract/deliveries.ts';
import type { Api } from '#server/accounts/access/access.ts';
import type { Services } from '#server/platform/services.ts';
import {
  countHeld,
  countReplays,
  getDelivery,
  listDeliveries,
  replayDeliveries,
  replayDelivery,
} from './deliveries.ts';

export function deliveryRoutes(api: Api, services: Services): void {
  api(contract.listDeliveries, async ({ site, query }) => listDeliveries(services, site.id, query));

  api(contract.countReplays, async ({ site, query }) => countReplays(services, site.id, query));

  api(contract.replayDeliveries, async ({ site, body }) => replayDeliveries(services, site.id, body));

  api(contract.countHeld, async ({ site }) => countHeld(services, site.id));

  api(contract.getDelivery, async ({ site, params }) => getDelivery(services, site.id, params.id));

  api(contract.replayDelivery, async ({ site, params }) => replayDelivery(services, site.id, params.id));
}
