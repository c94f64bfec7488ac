import * as contract from '#contract/actions.ts';
import type { Api } from '#server/accounts/access/access.ts';
import { askRecordMailbox } from '#server/accounts/accounts/record-mailboxes.ts';
import type { Services } from '#server/platform/services.ts';
import { changeAction, createAction, getAction, listActions, removeAction } from './actions.ts';

export function actionRoutes(api: Api, services: Services): void {
  const askMailbox = async (siteId: string, userId: string, target: object) => {
    if ('email' in target && typeof target.email === 'string')
      await askRecordMailbox(services, { siteId, userId }, target.email);
  };

  api(contract.listActions, async ({ site }) => ({
    results: await listActions(services, site.id),
    next: null,
  }));

  api(contract.createAction, async ({ site, actor, body }) => {
    const action = await createAction(services, site.id, body);
    await askMailbox(site.id, actor.userId, body.target);
    return action;
  });

  api(contract.getAction, async ({ site, params }) => getAction(services, site.id, params.id));

  api(contract.updateAction, async ({ site, actor, params, body }) => {
    const action = await changeAction(services, site.id, params.id, body);
    await askMailbox(site.id, actor.userId, action.target);
    return action;
  });

  api(contract.deleteAction, async ({ site, params }) => {
    await removeAction(services, site.id, params.id);
    return null;
  });
}
