import { findCustomer, subscriptionsOf } from '#server/audience/customers/customers.ts';
import { allLists } from '#server/audience/lists/lists.ts';
import { type ChoiceContext, NO_VISIT } from '#server/choices/choices/choices.ts';
import { type ActionRow, requireAction } from '#server/delivery/actions/actions.ts';
import { outboundMessageFor } from '#server/delivery/sending/dispatch.ts';
import { changesFor, type ChangeContext } from '#server/delivery/sending/tool-changes.ts';
import { callsFor } from '#server/delivery/sending/tool-preview.ts';
import { notFound } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import type { OutboundRequest } from '#server/platform/outbound.ts';
import type { Services } from '#server/platform/services.ts';
import { toolClientFor } from '#server/tools/clients/tool-client.ts';
import { asCredentialsError, connectorOf, findIntegration } from '#server/tools/integrations/integrations.ts';
import { affectedLists, simulateChoice } from './simulate-choice.ts';

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
): Promise<OutboundRequest[]> {
  const integration = await services.database.readSite(siteId, (site) =>
    findIntegration(site, action.integration_id ?? ''),
  );
  if (integration === undefined) throw notFound("This action's integration");
  const connector = connectorOf(integration);
  const changes = changesFor(connector, action, context);
  if (changes.length === 0) return [];
  try {
    const { api, baseUrl } = toolClientFor(services, connector, integration);
    return await callsFor(connector, changes, api, baseUrl);
  } catch (error) {
    throw asCredentialsError(error);
  }
}

/** The exact request or mail that the action would send if the customer made its choice now; nothing is sent. */
export async function previewAction(services: Services, siteId: string, id: string, customerId: string) {
  const { action, customer, lists, subscriptions } = await services.database.readSite(
    siteId,
    async (site) => {
      const found = await findCustomer(site, customerId);
      if (found === undefined) throw notFound('This customer');
      return {
        action: await requireAction(site, id),
        customer: found,
        lists: await allLists(site),
        subscriptions: await subscriptionsOf(site, found.id),
      };
    },
  );
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
    const calls = await previewTool(services, siteId, action, {
      email,
      previousEmail: `old.${email}`,
      now: after,
      listIds: choice.lists.map(({ list_id }) => list_id),
    });
    return { calls };
  }
  const { request } = await outboundMessageFor(services, { action, choice }, newId());
  return { calls: [request] };
}
