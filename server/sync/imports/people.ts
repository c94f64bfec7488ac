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

/** Somebody of an import as the site has them now. */
export interface Person {
  /** null: no customer has the address. */
  customer: CustomerRow | null;
  /** What they have, or would start with. */
  state: CustomerState;
}

/** The people behind addresses, with three statements for all of them. */
export async function lookUpPeople(
  services: Services,
  site: SiteDb,
  emailKeys: readonly string[],
): Promise<(emailKey: string) => Person> {
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

/** What a customer starts with who has chosen nothing yet. @param hasLeft everything, and was erased after it */
export function stateOfNew(hasLeft: boolean): CustomerState {
  return { globalUnsubscribe: hasLeft, pausedUntil: null, subscriptions: new Map() };
}
