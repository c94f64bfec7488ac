import type { ChoiceEvent } from '#contract/choices.ts';
import {
  applyWish,
  type CustomerState,
  transitionBetween,
  type Wish,
} from '#server/features/choices/transitions.ts';
import { changesFor, type Occasion } from '#server/features/deliveries/tool-changes.ts';
import { callsFor } from '#server/features/deliveries/tool-preview.ts';
import { openCredentials } from '#server/features/integrations/credentials.ts';
import { asRefusal, connectorOf } from '#server/features/integrations/integrations.ts';
import { findIntegration } from '#server/features/integrations/integrations.sql.ts';
import { lineTo } from '#server/features/integrations/tool-line.ts';
import { findCustomer, subscriptionsOf } from '#server/features/customers/customers.sql.ts';
import { allLists } from '#server/features/lists/lists.ts';
import { newId } from '#server/platform/ids.ts';
import { notFound } from '#server/platform/errors.ts';
import type { OutboundRequest } from '#server/platform/outbound.ts';
import type { Services } from '#server/platform/services.ts';
import type { ActionRow } from './actions.sql.ts';
import { requireAction } from './actions.ts';
import { webhookMessage, webhookRequest } from './webhook.ts';

/** The customer, and what they would have to wish for the event to happen. */
function imagine(
  event: ChoiceEvent,
  current: CustomerState,
  listIds: readonly string[],
): { before: CustomerState; wish: Wish } {
  if (event === 'global_unsubscribed' || event === 'global_resubscribed') {
    const globalUnsubscribe = event === 'global_unsubscribed';
    return {
      before: { ...current, globalUnsubscribe: !globalUnsubscribe, pausedUntil: null },
      wish: { globalUnsubscribe },
    };
  }
  if (event === 'email_changed' || event === 'customer_created') return { before: current, wish: {} };
  const subscribed = event === 'subscribed';
  // Whoever is where the event leads already is imagined on the other side.
  const subscriptions = new Map(current.subscriptions);
  for (const id of listIds) if (subscriptions.get(id) === subscribed) subscriptions.set(id, !subscribed);
  return {
    before: {
      globalUnsubscribe: current.globalUnsubscribe && subscribed,
      pausedUntil: null,
      subscriptions,
    },
    wish: { lists: listIds.map((list_id) => ({ list_id, subscribed })) },
  };
}

function concernedLists(action: ActionRow, lists: readonly { id: string }[]): string[] {
  const ids = lists.map((list) => list.id);
  return action.list_ids.length === 0 ? ids.slice(0, 1) : ids.filter((id) => action.list_ids.includes(id));
}

/** What a tool would be asked to write; it is read from on the way. */
async function previewTool(
  services: Services,
  siteId: string,
  action: ActionRow,
  occasion: Occasion,
): Promise<OutboundRequest[]> {
  const integration = await services.database.readSite(siteId, (site) =>
    findIntegration(site, action.integration_id ?? ''),
  );
  if (integration === undefined) throw notFound('The integration of this action');
  const connector = connectorOf(integration);
  const changes = changesFor(connector, action, occasion);
  if (changes.length === 0) return [];
  try {
    const credentials = openCredentials(services, integration);
    const line = lineTo(services, connector, credentials);
    const baseUrl =
      services.config.connectorUrls[connector.envName] ?? connector.connect(credentials).baseUrl;
    return await callsFor(connector, changes, line, baseUrl);
  } catch (error) {
    throw asRefusal(error);
  }
}

/** The exact request that the action would send if the customer made its choice now; nothing is sent. */
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
        subscriptions: await subscriptionsOf(site, customerId),
      };
    },
  );
  const current = {
    globalUnsubscribe: customer.global_unsubscribe,
    pausedUntil: customer.paused_until,
    subscriptions: new Map(subscriptions.map((one) => [one.list_id, one.subscribed])),
  };
  const { before, wish } = imagine(action.event, current, concernedLists(action, lists));
  const after = applyWish(before, wish);
  const changed = transitionBetween(before, after, lists).lists;
  if (action.integration_id !== null) {
    const email = customer.email ?? '';
    const calls = await previewTool(services, siteId, action, {
      email,
      previousEmail: `old.${email}`,
      now: after,
      listIds: changed.map(({ list_id }) => list_id),
    });
    return { calls };
  }
  const request = webhookRequest(services, {
    url: String(action.target['url']),
    secretsSealed: action.secrets_sealed ?? '',
    messageId: newId(),
    body: JSON.stringify(
      webhookMessage({
        siteId,
        event: action.event,
        occurredAt: services.clock.now(),
        customer: { id: customer.id, email: customer.email },
        lists: changed,
        globalUnsubscribe: after.globalUnsubscribe,
        pausedUntil: after.pausedUntil,
        source: 'page',
        sequence: customer.sequence + 1,
      }),
    ),
  });
  return { calls: [request] };
}
