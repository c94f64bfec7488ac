import * as contract from '#contract/customer-views.ts';
import type { Api } from '#server/accounts/access/access.ts';
import type { Services } from '#server/platform/services.ts';
import { changeView, createView, listViews, removeView } from './customer-views.ts';

export function customerViewRoutes(api: Api, services: Services): void {
  api(contract.listCustomerViews, async ({ site }) => ({
    results: await listViews(services, site.id),
    next: null,
  }));

  api(contract.createCustomerView, async ({ site, body }) => createView(services, site.id, body));

  api(contract.updateCustomerView, async ({ site, params, body }) =>
    changeView(services, site.id, params.id, body),
  );

  api(contract.deleteCustomerView, async ({ site, params }) => {
    await removeView(services, site.id, params.id);
    return null;
  });
}
