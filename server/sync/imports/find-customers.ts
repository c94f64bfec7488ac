import {
  type CustomerRow,
  customersByEmails,
  erasedAsLeft,
  addressHashesOf,
  subscriptionsOfMany,
} from '#server/audience/customers/customers.ts';
import type { CustomerState } from '#server/audience/evidence/transitions.ts';
import {
  type KeptOptOut,
  keptOptOutsOf,
  stateOfNewcomer,
} from '#server/audience/kept-opt-outs/kept-opt-outs.ts';
import type { SiteDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';

/** A person in an import, as known to the site. */
export interface ImportedCustomer {
  /** null if no customer has the address. */
  customer: CustomerRow | null;
  /** Present state, or the state they would start with. */
  state: CustomerState;
  /** What tools reported before there was a customer; part of `state`. */
  kept: readonly KeptOptOut[];
}

/** Finds the customers of many addresses with four statements. */
export async function findCustomers(
  services: Services,
  site: SiteDb,
  emailKeys: readonly string[],
): Promise<(emailKey: string) => ImportedCustomer> {
  const customers = await customersByEmails(site, emailKeys);
  const byKey = new Map(customers.map((customer) => [customer.email_key ?? '', customer]));
  const missing = emailKeys.filter((key) => !byKey.has(key));
  const [subscriptions, erased, keptOf] = await Promise.all([
    subscriptionsOfMany(
      site,
      customers.map(({ id }) => id),
    ),
    erasedAsLeft(
      site,
      missing.flatMap((key) => addressHashesOf(services, site.id, key)),
    ),
    keptOptOutsOf(services, site, missing),
  ]);
  const byCustomer = Map.groupBy(subscriptions, (one) => one.customer_id);
  const left = new Set(erased.map((key) => key.toString('hex')));
  return (emailKey) => {
    const customer = byKey.get(emailKey);
    if (customer === undefined) {
      const keys = addressHashesOf(services, site.id, emailKey);
      const hasLeft = keys.some((key) => left.has(key.toString('hex')));
      const kept = keptOf(emailKey);
      return { customer: null, state: stateOfNewcomer(hasLeft, kept), kept };
    }
    return {
      customer,
      kept: [],
      state: {
        globalUnsubscribe: customer.global_unsubscribe,
        pausedUntil: customer.paused_until,
        subscriptions: new Map(
          (byCustomer.get(customer.id) ?? []).map(({ list_id, subscribed }) => [list_id, subscribed]),
        ),
      },
    };
  };
}
