import * as contract from '#contract/exports.ts';
import type { Api } from '#server/accounts/access/access.ts';
import type { Services } from '#server/platform/services.ts';
import { customersFile, evidenceFile } from './exports.ts';

export function exportRoutes(api: Api, services: Services): void {
  api(contract.exportCustomers, async ({ site, query }) => customersFile(services, site.id, query));

  api(contract.exportEvidence, async ({ site }) => evidenceFile(services, site.id));
}
