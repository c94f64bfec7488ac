import * as contract from '#contract/evidence-check.ts';
import type { Api } from '#server/accounts/access/access.ts';
import type { Services } from '#server/platform/services.ts';
import { getEvidenceCheck } from './evidence-checks.ts';

export function evidenceCheckRoutes(api: Api, services: Services): void {
  api(contract.getEvidenceCheck, async ({ site }) => getEvidenceCheck(services, site.id));
}
