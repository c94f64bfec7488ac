import { type CustomerRow, findCustomerRow, subscriptionsOf } from '#server/audience/customers/customers.ts';
import type { CustomerState, PreferenceChange } from '#server/audience/evidence/transitions.ts';
import { saveChoice, NO_VISIT } from '#server/choices/choices/choices.ts';
import type { SiteDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';

/*
 * Two customers whose addresses turned out to be spellings of one: the migration has made one point at the other. Here the
 * one who stays gets what the other one had chosen, as a choice with its evidence and its deliveries.
 */

type Restored = Extract<PreferenceChange, { restore: unknown }>['restore'];

const hasLeft = ({ globalUnsubscribe, pausedUntil }: CustomerState) =>
  globalUnsubscribe && pausedUntil === null;

/** An opt-out of either counts, of a list as of everything; a pause lasts until the later one ends. */
export function mergedState(one: CustomerState, other: CustomerState): Restored {
  const both = [one, other];
  const globalUnsubscribe = both.some((state) => state.globalUnsubscribe);
  const pauses = both.map(({ pausedUntil }) => pausedUntil?.getTime() ?? 0);
  const pausedUntil = both.some(hasLeft) || !globalUnsubscribe ? null : new Date(Math.max(...pauses));
  const listIds = new Set(both.flatMap(({ subscriptions }) => [...subscriptions.keys()]));
  const lists = [...listIds].map((listId) => ({
    list_id: listId,
    subscribed: both.every(({ subscriptions }) => subscriptions.get(listId) !== false),
  }));
  return { globalUnsubscribe, pausedUntil, lists };
}

async function stateOf(site: SiteDb, customer: CustomerRow): Promise<CustomerState> {
  const subscriptions = await subscriptionsOf(site, customer.id);
  return {
    globalUnsubscribe: customer.global_unsubscribe,
    pausedUntil: customer.paused_until,
    subscriptions: new Map(subscriptions.map((one) => [one.list_id, one.subscribed])),
  };
}

/** Once for each customer who was merged, however often it is begun. */
export async function finishMerge(services: Services, siteId: string, mergedId: string): Promise<void> {
  for (;;) {
    const found = await services.database.readSite(siteId, async (site) => {
      const merged = await findCustomerRow(site, mergedId);
      const survivor = await findCustomerRow(site, merged?.merged_into ?? mergedId);
      if (merged === undefined || survivor === undefined || survivor.id === mergedId) return null;
      const state = mergedState(await stateOf(site, survivor), await stateOf(site, merged));
      return { survivor, state };
    });
    // Erased meanwhile.
    if (found === null) return;
    const { survivor, state } = found;
    const saved = await saveChoice(
      services,
      siteId,
      survivor.id,
      { restore: state },
      { source: 'merge', authority: 'system', saveId: `merge:${mergedId}`, ...NO_VISIT },
      { sequence: survivor.sequence },
    );
    if (saved.refused === null) return;
  }
}
