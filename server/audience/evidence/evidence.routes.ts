import * as contract from '#contract/choices.ts';
import type { Api } from '#server/accounts/access/access.ts';
import type { Services } from '#server/platform/services.ts';
import { getEvidence, listCustomerEvidence, listEvidence } from './judged-evidence.ts';

export function evidenceRoutes(api: Api, services: Services): void {
  api(contract.listCustomerEvidence, async ({ site, params, query }) =>
    listCustomerEvidence(services, site.id, params.id, query),
  );

  api(contract.listEvidence, async ({ site, query }) => listEvidence(services, site.id, query));

  api(contract.getEvidence, async ({ site, params }) => getEvidence(services, site.id, params.id));
}
