import type { ActionTest } from '#contract/action-tests.ts';
import { allLists } from '#server/audience/lists/lists.ts';
import { requireAction } from '#server/delivery/actions/actions.ts';
import { isEndpointType } from '#server/delivery/actions/endpoint-actions.ts';
import { outboundMessageFor } from '#server/delivery/sending/dispatch.ts';
import { sendOutboundMessage } from '#server/delivery/sending/outbound-message.ts';
import { AppError } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { sampleChoice } from './samples.ts';

/** Enough for trying out a receiver, too few for flooding one. */
const TESTS = { name: 'action-tests', points: 10, perSeconds: 60 };

/**
 * Sends a made-up choice immediately. It appears in no log and no statistics, whatever the response.
 * @throws AppError `not_found`, `action_type_unavailable`, `rate_limited`
 */
export async function testAction(services: Services, siteId: string, id: string): Promise<ActionTest> {
  const { action, lists } = await services.database.readSite(siteId, async (site) => ({
    action: await requireAction(site, id),
    lists: await allLists(site),
  }));
  if (!isEndpointType(action.type)) {
    throw new AppError(
      'action_type_unavailable',
      'You can only test webhooks and evidence. For this action, a preview shows the calls it would make.',
    );
  }
  await services.limits.use(TESTS, id);
  const choice = sampleChoice(services, siteId, action, lists);
  const message = await outboundMessageFor(services, { action, choice }, newId(), { test: true });
  const startedAt = performance.now();
  const { outcome, request, response, error } = await sendOutboundMessage(services, message);
  return { duration_ms: Math.round(performance.now() - startedAt), outcome, request, response, error };
}
