import { subscriptionsOf } from '#server/audience/customers/customers.ts';
import type { Services } from '#server/platform/services.ts';
import { choiceRulesOf } from './choices.ts';
import { historySince, type PageSeen, standingOf } from './untouched.ts';

/** How a form was rendered with the lists, whatever was decided about them since. */
export async function listsShownOn(
  services: Services,
  siteId: string,
  customerId: string,
  { sequence }: Pick<PageSeen, 'sequence'>,
): Promise<ReadonlyMap<string, boolean>> {
  const { lists } = await choiceRulesOf(services, siteId);
  return services.database.readSite(siteId, async (site) => {
    const [own, history] = await Promise.all([
      subscriptionsOf(site, customerId),
      historySince(site, customerId, { sequence }),
    ]);
    const subscriptions = new Map(own.map((one) => [one.list_id, one.subscribed]));
    const shown = { sequence, visitId: null };
    return new Map(lists.map((list) => [list.id, standingOf(list, subscriptions, shown, history).shown]));
  });
}
