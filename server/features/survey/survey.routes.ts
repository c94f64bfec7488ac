import { submitSurvey } from '#contract/survey.ts';
import type { Api } from '#server/features/access/access.ts';
import { notFound } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';

export function surveyRoutes(api: Api, services: Services): void {
  api(submitSurvey, async ({ user, params, body }) => {
    if (user.id !== params.id) throw notFound('This account');
    const survey = { id: newId(), created_at: services.clock.now() };
    await services.database.global.db
      .insertInto('surveys')
      .values({ ...survey, user_id: user.id, version: body.version, data: JSON.stringify(body.data) })
      .execute();
    return { ...body, id: survey.id, created_at: survey.created_at.toISOString() };
  });
}
