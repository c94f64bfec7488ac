import * as contract from '#contract/proposals.ts';
import type { Api } from '#server/accounts/access/access.ts';
import type { Services } from '#server/platform/services.ts';
import { applyProposals, getProposals } from './proposals.ts';

export function proposalRoutes(api: Api, services: Services): void {
  api(contract.getProposals, async ({ site, params, query }) =>
    getProposals(services, site.id, params.id, query.language),
  );

  api(contract.applyProposals, async ({ site, actor, params, body }) =>
    applyProposals(services, site.id, actor.userId, params.id, body),
  );
}
