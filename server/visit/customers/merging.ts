import { type CustomerRow, findCustomerRow, subscriptionsOf } from '#server/audience/customers/customers.ts';
import type { CustomerState, PreferenceChange } from '#server/audience/evidence/transitions.ts';
import { saveChoice, NO_VISIT } from '#server/choices/choices/choices.ts';
import type { SiteDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';

/*
 * Merges two customers whose addresses are spellings of the same one; the migration has linked one row to the other.
 * The remaining customer takes over the other's choices, as a choice with its own evidence and deliveries.
 */

type Restored = Extract<PreferenceChange, { restore: unknown }>['restore'];

const hasLeft = ({ globalUnsubscribe, pausedUntil }: CustomerState) =>
  globalUnsubscribe && pausedUntil === null;

/** An opt-out of either one wins, of a list or of everything; of two pauses, the later end counts. */
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
  const wrongRecipientAt = one.wrongRecipientAt ?? other.wrongRecipientAt ?? null;
  return { globalUnsubscribe, pausedUntil, wrongRecipientAt, lists };
}

async function stateOf(site: SiteDb, customer: CustomerRow): Promise<CustomerState> {
  const subscriptions = await subscriptionsOf(site, customer.id);
  return {
    globalUnsubscribe: customer.global_unsubscribe,
    pausedUntil: customer.paused_until,
    wrongRecipientAt: customer.wrong_recipient_at,
    subscriptions: new Map(subscriptions.map((one) => [one.list_id, one.subscribed])),
  };
}

/** Idempotent: takes effect once per merged customer. */
export async function finishMerge(services: Services, siteId: string, mergedId: string): Promise<void> {
  for (;;) {
    const found = await services.database.readSite(siteId, async (site) => {
      const merged = await findCustomerRow(site, mergedId);
      const survivor = await findCustomerRow(site, merged?.merged_into ?? mergedId);
      if (merged === undefined || survivor === undefined || survivor.id === mergedId) return null;
      const state = mergedState(await stateOf(site, survivor), await stateOf(site, merged));
      return { survivor, state };
    });
    // The customer has since been erased.
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
