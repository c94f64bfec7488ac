import * as contract from '#contract/bulk-changes.ts';
import type { Api } from '#server/accounts/access/access.ts';
import type { Services } from '#server/platform/services.ts';
import { getBulkChange, listBulkChanges, listUndoneCustomers } from './bulk-changes.ts';
import { previewUndo, startUndo } from './undo.ts';

export function bulkChangeRoutes(api: Api, services: Services): void {
  api(contract.listBulkChanges, async ({ site }) => listBulkChanges(services, site.id));

  api(contract.getBulkChange, async ({ site, params }) => getBulkChange(services, site.id, params.id));

  api(contract.previewUndo, async ({ site, params }) => previewUndo(services, site.id, params.id));

  api(contract.startUndo, async ({ site, params, body }) =>
    startUndo(services, site.id, params.id, body.unsubscribes),
  );

  api(contract.listUndoneCustomers, async ({ site, params, query }) =>
    listUndoneCustomers(services, site.id, params.id, query),
  );
}
