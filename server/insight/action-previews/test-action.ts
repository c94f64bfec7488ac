import type { ActionTest } from '#contract/action-tests.ts';
import type { NothingBecause } from '#contract/actions.ts';
import { allLists } from '#server/audience/lists/lists.ts';
import { type ActionRow, requireAction } from '#server/delivery/actions/actions.ts';
import type { CompletedAttempt } from '#server/delivery/deliveries/attempt-result.ts';
import { outboundMessageFor } from '#server/delivery/sending/dispatch.ts';
import { sendOutboundMessage } from '#server/delivery/sending/outbound-message.ts';
import { syncCustomerToTool } from '#server/delivery/sending/tool-delivery.ts';
import { AppError, invalidField } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { sampleChoice } from './samples.ts';
import { testSubject } from './test-subject.ts';

/** Enough for trying out a receiver, too few for flooding one. */
const TESTS = { name: 'action-tests', points: 10, perSeconds: 60 };

/**
 * Sends a made-up choice immediately or, in a tool, repeats one of a customer. It appears in no log and no statistics,
 * whatever the response.
 * @param customerId for an action in a tool
 * @throws AppError `not_found`, `invalid_field`, `conflict`, `rate_limited`, `unavailable`
 */
export async function testAction(
  services: Services,
  siteId: string,
  id: string,
  customerId?: string,
): Promise<ActionTest> {
  const action = await services.database.readSite(siteId, (site) => requireAction(site, id));
  if (action.integration_id !== null && customerId === undefined) {
    throw invalidField('customer_id', 'customer_id: choose the customer to test this with.');
  }
  await services.limits.use(TESTS, id);
  const startedAt = performance.now();
  const result =
    customerId === undefined || action.integration_id === null
      ? await sendSample(services, siteId, action)
      : await testInTool(services, siteId, action, customerId);
  const { outcome, request, response, error, changes = [] } = result;
  return {
    duration_ms: Math.round(performance.now() - startedAt),
    ...{ outcome, request, response, error, changes },
  };
}

async function sendSample(services: Services, siteId: string, action: ActionRow): Promise<CompletedAttempt> {
  const lists = await services.database.readSite(siteId, allLists);
  const choice = sampleChoice(services, siteId, action, lists);
  const message = await outboundMessageFor(services, { action, choice }, newId(), { test: true });
  return sendOutboundMessage(services, message);
}

/** As a delivery would: with the customer's lease, within the tool's limit, and only what still holds. */
async function testInTool(
  services: Services,
  siteId: string,
  action: ActionRow,
  customerId: string,
): Promise<CompletedAttempt> {
  const choice = await testSubject(services, siteId, action, customerId);
  if (choice === null) throw nothingToSend('no_choice');
  const result = await syncCustomerToTool(services, { action, choice, run: newId() });
  if (result.kind === 'attempted') return result;
  if (result.kind === 'nothing') throw nothingToSend(result.why === 'untouched' ? 'overtaken' : result.why);
  throw new AppError('unavailable', 'The tool is busy. Try again in a minute.');
}

/** What is wrong with the customer; without a tool, no customer would do. */
const WRONG_CUSTOMER: Record<Exclude<NothingBecause, 'disconnected'>, string> = {
  no_choice:
    "this customer hasn't made a choice that this action is for. Make one on your page first, or choose another customer.",
  overtaken: 'this customer has made a newer choice since. Choose another customer.',
  erased: 'this customer was erased. Choose another customer.',
  test: 'this is a test customer, whose changes are never sent. Choose another customer.',
};

function nothingToSend(why: NothingBecause): AppError {
  if (why === 'disconnected') {
    return new AppError(
      'conflict',
      "This action's tool was disconnected. Connect the tool again, then create a new action for it.",
    );
  }
  return new AppError('conflict', `customer_id: ${WRONG_CUSTOMER[why]}`, { field: 'customer_id' });
}
