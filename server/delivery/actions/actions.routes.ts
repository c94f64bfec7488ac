import * as testContract from '#contract/action-tests.ts';
import * as contract from '#contract/actions.ts';
import type { Api } from '#server/accounts/access/access.ts';
import type { Services } from '#server/platform/services.ts';
import { changeAction, createAction, getAction, listActions, removeAction } from './actions.ts';
import { previewAction } from '#server/insight/action-previews/preview.ts';
import { listSamples } from '#server/insight/action-previews/samples.ts';
import { testAction } from '#server/insight/action-previews/test-action.ts';

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

  api(contract.previewAction, async ({ site, params, body }) =>
    previewAction(services, site.id, params.id, body.customer_id),
  );

  api(testContract.listActionSamples, async ({ site }) => ({
    results: await listSamples(services, site.id),
    next: null,
  }));

  api(testContract.testAction, async ({ site, params }) => testAction(services, site.id, params.id));
}
