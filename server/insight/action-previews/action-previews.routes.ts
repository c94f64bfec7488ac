import { listActionSamples, testAction as testActionRoute } from '#contract/action-tests.ts';
import { previewAction as previewActionRoute } from '#contract/actions.ts';
import { previewChoice as previewChoiceRoute } from '#contract/choice-previews.ts';
import type { Api } from '#server/accounts/access/access.ts';
import type { Services } from '#server/platform/services.ts';
import { previewAction } from './preview.ts';
import { previewChoice } from './preview-choice.ts';
import { listSamples } from './samples.ts';
import { testAction } from './test-action.ts';

export function actionPreviewRoutes(api: Api, services: Services): void {
  api(previewActionRoute, async ({ site, params, body }) =>
    previewAction(services, site.id, params.id, body),
  );

  api(previewChoiceRoute, async ({ site, body }) => previewChoice(services, site.id, body));

  api(listActionSamples, async ({ site }) => ({
    results: await listSamples(services, site.id),
    next: null,
  }));

  api(testActionRoute, async ({ site, params, query }) =>
    testAction(services, site.id, params.id, query.customer_id),
  );
}
