import * as contract from '#contract/comparisons.ts';
import type { Api } from '#server/accounts/access/access.ts';
import type { Services } from '#server/platform/services.ts';
import {
  cancelComparison,
  getComparison,
  listComparisons,
  startComparison,
  startMending,
} from './comparisons.ts';
import { dismissDifference, listDifferences, mendDifference } from './differences.ts';

export function comparisonRoutes(api: Api, services: Services): void {
  api(contract.startComparison, async ({ site, params, actor }) =>
    startComparison(services, site.id, params.id, actor.userId),
  );

  api(contract.listComparisons, async ({ site, params, query }) =>
    listComparisons(services, site.id, params.id, query),
  );

  api(contract.getComparison, async ({ site, params }) =>
    getComparison(services, site.id, params.id, params.comparison_id),
  );

  api(contract.cancelComparison, async ({ site, params }) =>
    cancelComparison(services, site.id, params.id, params.comparison_id),
  );

  api(contract.listDifferences, async ({ site, params, query }) =>
    listDifferences(services, site.id, params.id, query),
  );

  api(contract.mendDifferences, async ({ site, params, body, actor }) =>
    startMending(services, site.id, params.id, body, actor.userId),
  );

  api(contract.mendDifference, async ({ site, params }) =>
    mendDifference(services, site.id, params.id, params.difference_id),
  );

  api(contract.dismissDifference, async ({ site, params }) =>
    dismissDifference(services, site.id, params.id, params.difference_id),
  );
}
