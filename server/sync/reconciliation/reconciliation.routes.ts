import * as contract from '#contract/comparisons.ts';
import type { Api } from '#server/accounts/access/access.ts';
import type { Services } from '#server/platform/services.ts';
import {
  cancelReconciliation,
  getReconciliation,
  listReconciliations,
  startReconciliation,
  startRepair,
} from './reconciliation.ts';
import {
  dismissDiscrepancy,
  listDiscrepancies,
  listDiscrepanciesBehind,
  repairDiscrepancyNow,
} from './discrepancies.ts';

export function reconciliationRoutes(api: Api, services: Services): void {
  api(contract.startComparison, async ({ site, params, actor }) =>
    startReconciliation(services, site.id, params.id, actor.userId),
  );

  api(contract.listComparisons, async ({ site, params, query }) =>
    listReconciliations(services, site.id, params.id, query),
  );

  api(contract.getComparison, async ({ site, params }) =>
    getReconciliation(services, site.id, params.id, params.comparison_id),
  );

  api(contract.listComparisonDifferences, async ({ site, params, query }) =>
    listDiscrepanciesBehind(services, site.id, params.id, params.comparison_id, query),
  );

  api(contract.cancelComparison, async ({ site, params }) =>
    cancelReconciliation(services, site.id, params.id, params.comparison_id),
  );

  api(contract.listDifferences, async ({ site, params, query }) =>
    listDiscrepancies(services, site.id, params.id, query),
  );

  api(contract.mendDifferences, async ({ site, params, body, actor }) =>
    startRepair(services, site.id, params.id, body, actor.userId),
  );

  api(contract.mendDifference, async ({ site, params }) =>
    repairDiscrepancyNow(services, site.id, params.id, params.difference_id),
  );

  api(contract.dismissDifference, async ({ site, params }) =>
    dismissDiscrepancy(services, site.id, params.id, params.difference_id),
  );
}
