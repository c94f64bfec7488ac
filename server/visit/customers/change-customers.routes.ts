import * as contract from '#contract/customers.ts';
import * as pending from '#contract/pending-changes.ts';
import type { Api } from '#server/accounts/access/access.ts';
import { countMatchingCustomers, searchCustomers } from '#server/audience/customers/customer-search.ts';
import { getCustomerDetails, getCustomerLists } from '#server/audience/customers/customers.ts';
import type { Services } from '#server/platform/services.ts';
import { listPendingChanges } from '#server/visit/pending-changes/pending-changes.ts';
import { changeCustomer, createCustomer, setCustomerLists } from './change-customers.ts';
import { endLinksByOwner } from './end-links.ts';
import { mintLinks } from './mint-links.ts';
import { eraseCustomer } from './erasure.ts';

export function customerRoutes(api: Api, services: Services): void {
  api(contract.listCustomers, async ({ site, query }) => searchCustomers(services, site.id, query));

  api(contract.countCustomers, async ({ site, query }) => countMatchingCustomers(services, site.id, query));

  api(contract.createCustomer, async ({ site, body }) => createCustomer(services, site.id, body.email));

  api(contract.getCustomer, async ({ site, params }) => getCustomerDetails(services, site.id, params.id));

  api(contract.updateCustomer, async ({ site, params, body }) =>
    changeCustomer(services, site.id, params.id, body),
  );

  api(contract.deleteCustomer, async ({ site, params }) => {
    await eraseCustomer(services, site.id, params.id);
    return null;
  });

  api(contract.getCustomerLists, async ({ site, params }) => getCustomerLists(services, site.id, params.id));

  api(contract.setCustomerLists, async ({ site, params, body }) =>
    setCustomerLists(services, site.id, params.id, body),
  );

  api(pending.listPendingChanges, async ({ site, params }) =>
    listPendingChanges(services, site.id, params.id),
  );

  api(contract.mintLinks, async ({ site, params, body }) => mintLinks(services, site.id, params.id, body));

  api(contract.endLinks, async ({ site, params }) => endLinksByOwner(services, site.id, params.id));
}
