import { findCustomer, subscriptionsOf } from '#server/features/customers/customers.sql.ts';
import { allLists } from '#server/features/lists/lists.ts';
import { newId } from '#server/platform/ids.ts';
import { notFound } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import { requireAction } from './actions.ts';
import { webhookMessage, webhookRequest } from './webhook.ts';

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
  const wanted =
    action.list_ids.length === 0
      ? lists.slice(0, 1)
      : lists.filter((list) => action.list_ids.includes(list.id));
  const isAboutLists = action.event === 'subscribed' || action.event === 'unsubscribed';
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
        lists: isAboutLists
          ? wanted.map((list) => ({
              list_id: list.id,
              name: list.name,
              subscribed: action.event === 'subscribed',
            }))
          : subscriptions.flatMap(({ list_id, subscribed }) => {
              const list = lists.find((one) => one.id === list_id);
              return list === undefined ? [] : [{ list_id, name: list.name, subscribed }];
            }),
        globalUnsubscribe: action.event === 'global_unsubscribed' || customer.global_unsubscribe,
        source: 'page',
        sequence: customer.sequence + 1,
      }),
    ),
  });
  return { calls: [request] };
}
