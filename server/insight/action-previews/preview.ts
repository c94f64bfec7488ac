import type { NothingBecause, previewAction as previewActionRoute } from '#contract/actions.ts';
import type { RouteResponse } from '#contract/route.ts';
import { isTestEmail, testRulesOf } from '#server/accounts/sites/test-rules.ts';
import { findCustomer, subscriptionsOf } from '#server/audience/customers/customers.ts';
import { allLists } from '#server/audience/lists/lists.ts';
import { type ChoiceContext, NO_VISIT } from '#server/choices/choices/choices.ts';
import { type ActionRow, requireAction } from '#server/delivery/actions/actions.ts';
import { outboundMessageFor } from '#server/delivery/sending/dispatch.ts';
import { changesFor, type ChangeContext, requestedChangeOf } from '#server/delivery/sending/tool-changes.ts';
import { type DesiredState, desiredStateOf } from '#server/delivery/sending/tool-delivery.ts';
import { callsFor } from '#server/delivery/sending/tool-preview.ts';
import { notFound } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { toolClientFor } from '#server/tools/clients/tool-client.ts';
import { asCredentialsError, connectorOf, findIntegration } from '#server/tools/integrations/integrations.ts';
import { affectedLists, simulateChoice } from './simulate-choice.ts';
import { testSubject } from './test-subject.ts';

const ON_THE_PAGE: ChoiceContext = {
  source: 'page',
  authority: 'open',
  saveId: null,
  ...NO_VISIT,
};

/** The writes that a tool would be asked for. Reads are made for real on the way. */
async function previewTool(
  services: Services,
  siteId: string,
  action: ActionRow,
  context: ChangeContext,
): Promise<Plan> {
  const integration = await services.database.readSite(siteId, (site) =>
    findIntegration(site, action.integration_id ?? ''),
  );
  if (integration === undefined) throw notFound("This action's integration");
  const connector = connectorOf(integration);
  return planOf(services, {
    integration,
    connector,
    changes: changesFor(connector, action, context),
  });
}

type Plan = Pick<RouteResponse<typeof previewActionRoute>, 'calls' | 'changes'>;

async function planOf(
  services: Services,
  { integration, connector, changes }: Pick<DesiredState, 'integration' | 'connector' | 'changes'>,
): Promise<Plan> {
  if (changes.length === 0) return { calls: [], changes: [] };
  try {
    const { api, baseUrl } = toolClientFor(services, connector, integration);
    const { calls } = await callsFor(connector, changes, api, baseUrl);
    return { calls, changes: changes.map(requestedChangeOf) };
  } catch (error) {
    throw asCredentialsError(error);
  }
}

const nothing = (why: NothingBecause) => ({ calls: [], changes: [], nothing_because: why });

/** What a test of an action in a tool would do to this customer. */
async function previewTest(services: Services, siteId: string, action: ActionRow, customerId: string) {
  const choice = await testSubject(services, siteId, action, customerId);
  const desired = choice === null ? 'no_choice' : await desiredStateOf(services, { action, choice });
  if (typeof desired === 'string') return nothing(desired);
  const plan = await planOf(services, desired);
  return plan.changes.length === 0 ? nothing('overtaken') : { ...plan, nothing_because: null };
}

/** The exact request or mail that the action would send if the customer made its choice now; nothing is sent. */
export async function previewAction(
  services: Services,
  siteId: string,
  id: string,
  { customer_id: customerId, test }: { customer_id: string; test?: true | undefined },
): Promise<RouteResponse<typeof previewActionRoute>> {
  const action = await services.database.readSite(siteId, (site) => requireAction(site, id));
  if (test === true && action.integration_id !== null) {
    return previewTest(services, siteId, action, customerId);
  }
  const { customer, lists, subscriptions } = await services.database.readSite(siteId, async (site) => {
    const found = await findCustomer(site, customerId);
    if (found === undefined) throw notFound('This customer');
    return {
      customer: found,
      lists: await allLists(site),
      subscriptions: await subscriptionsOf(site, found.id),
    };
  });
  if (isTestEmail(await testRulesOf(services, siteId), customer.email)) return nothing('test');
  const current = {
    globalUnsubscribe: customer.global_unsubscribe,
    pausedUntil: customer.paused_until,
    subscriptions: new Map(subscriptions.map((one) => [one.list_id, one.subscribed])),
  };
  const { choice, after } = simulateChoice(services, siteId, action.event, {
    customer,
    state: current,
    lists,
    listIds: affectedLists(action, lists),
    context: ON_THE_PAGE,
  });
  if (action.integration_id !== null) {
    const email = customer.email ?? '';
    const plan = await previewTool(services, siteId, action, {
      email,
      previousEmail: `old.${email}`,
      formerEmails: [],
      now: after,
      listIds: choice.lists.map(({ list_id }) => list_id),
      events: choice.events,
    });
    return { ...plan, nothing_because: null };
  }
  const { request } = await outboundMessageFor(services, { action, choice }, newId());
  return { calls: [request], changes: [], nothing_because: null };
}
