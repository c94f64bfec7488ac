import * as contract from '#contract/lists.ts';
import type { Api } from '#server/accounts/access/access.ts';
import type { Services } from '#server/platform/services.ts';
import {
  changeList,
  type CheckPages,
  createList,
  getList,
  listLists,
  orderLists,
  removeList,
} from './lists.ts';

export function listRoutes(api: Api, services: Services, checkPages: CheckPages): void {
  api(contract.listLists, async ({ site }) => ({ results: await listLists(services, site.id), next: null }));

  api(contract.createList, async ({ site, body }) => createList(services, site.id, body));

  api(contract.orderLists, async ({ site, body }) => ({
    results: await orderLists(services, site.id, body.ids),
    next: null,
  }));

  api(contract.getList, async ({ site, params }) => getList(services, site.id, params.id));

  api(contract.updateList, async ({ site, params, body }) =>
    changeList(services, site.id, params.id, body, checkPages),
  );

  api(contract.deleteList, async ({ site, params }) => {
    await removeList(services, site.id, params.id);
    return null;
  });
}
