import {
  type CustomerRow,
  customersByEmails,
  erasedAsLeft,
  erasedKeysOf,
  subscriptionsOfMany,
} from '#server/audience/customers/customers.ts';
import type { CustomerState } from '#server/audience/evidence/transitions.ts';
import type { SiteDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';

/** A person in an import, as known to the site. */
export interface ImportedCustomer {
  /** null if no customer has the address. */
  customer: CustomerRow | null;
  /** Present state, or the state they would start with. */
  state: CustomerState;
}

/** Finds the customers of many addresses with three statements. */
export async function findCustomers(
  services: Services,
  site: SiteDb,
  emailKeys: readonly string[],
): Promise<(emailKey: string) => ImportedCustomer> {
  const customers = await customersByEmails(site, emailKeys);
  const byKey = new Map(customers.map((customer) => [customer.email_key ?? '', customer]));
  const missing = emailKeys.filter((key) => !byKey.has(key));
  const [subscriptions, erased] = await Promise.all([
    subscriptionsOfMany(
      site,
      customers.map(({ id }) => id),
    ),
    erasedAsLeft(
      site,
      missing.flatMap((key) => erasedKeysOf(services, site.id, key)),
    ),
  ]);
  const byCustomer = Map.groupBy(subscriptions, (one) => one.customer_id);
  const left = new Set(erased.map((key) => key.toString('hex')));
  return (emailKey) => {
    const customer = byKey.get(emailKey);
    if (customer === undefined) {
      const keys = erasedKeysOf(services, site.id, emailKey);
      const hasLeft = keys.some((key) => left.has(key.toString('hex')));
      return { customer: null, state: stateOfNew(hasLeft) };
    }
    return {
      customer,
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

/**
 * Initial state of a new customer.
 * @param hasLeft left everything and was erased afterwards
 */
export function stateOfNew(hasLeft: boolean): CustomerState {
  return { globalUnsubscribe: hasLeft, pausedUntil: null, subscriptions: new Map() };
}
