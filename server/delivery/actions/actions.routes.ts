import * as contract from '#contract/actions.ts';
import type { Api } from '#server/accounts/access/access.ts';
import type { Services } from '#server/platform/services.ts';
import { changeAction, createAction, getAction, listActions, removeAction } from './actions.ts';

export function actionRoutes(api: Api, services: Services): void {
  api(contract.listActions, async ({ site }) => ({
    results: await listActions(services, site.id),
    next: null,
  }));

  api(contract.createAction, async ({ site, body }) => createAction(services, site.id, body));

  api(contract.getAction, async ({ site, params }) => getAction(services, site.id, params.id));

  api(contract.updateAction, async ({ site, params, body }) =>
    changeAction(services, site.id, params.id, body),
  );

  api(contract.deleteAction, async ({ site, params }) => {
    await removeAction(services, site.id, params.id);
    return null;
  });
}
