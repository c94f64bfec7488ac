import { listSurveys, submitSurvey } from '#contract/survey.ts';
import type { Api } from '#server/accounts/access/access.ts';
import { notFound } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { surveysOf } from './survey.sql.ts';

export function surveyRoutes(api: Api, services: Services): void {
  api(listSurveys, async ({ user, params }) => {
    if (user.id !== params.id) throw notFound('This account');
    const answers = await surveysOf(services.database.global, user.id);
    return {
      results: answers.map((one) => ({ ...one, created_at: one.created_at.toISOString() })).toReversed(),
      next: null,
    };
  });

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
