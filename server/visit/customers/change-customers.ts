import { emailKey } from '#contract/email-key.ts';
import type { Customer, ListPreference } from '#contract/customers.ts';
import { changeStatements } from '#server/accounts/audit-log/audit-log.ts';
import { testRulesOf } from '#server/accounts/sites/test-rules.ts';
import {
  type CustomerRow,
  findCustomerByEmail,
  getCustomer,
  getCustomerLists,
  listsAndSubscriptions,
  type ListsOfCustomer,
  presentCustomer,
  presentLists,
} from '#server/audience/customers/customers.ts';
import { addCustomer, byCaller } from '#server/choices/choices/add-customer.ts';
import { type ChoiceResult, type ChoiceChange, saveChoice } from '#server/choices/choices/choices.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { AppError } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';

export async function createCustomer(services: Services, siteId: string, email: string): Promise<Customer> {
  const rules = await testRulesOf(services, siteId);
  const customer = await addCustomer(services, siteId, email, byCaller());
  if (customer === null) {
    const known = await services.database.readSite(siteId, (site) =>
      findCustomerByEmail(site, emailKey(email)),
    );
    const message = 'email: a customer already has this email.';
    // They were erased in between.
    if (known === undefined) throw new AppError('error_exists', message, { field: 'email' });
    throw new AppError('error_exists', `${message} See data.customer_id.`, {
      field: 'email',
      data: { customer_id: known.id },
    });
  }
  return presentCustomer(customer, rules);
}

export async function changeCustomer(
  services: Services,
  siteId: string,
  id: string,
  input: { email: string } | { global_unsubscribe: boolean },
): Promise<Customer> {
  const rules = await testRulesOf(services, siteId);
  const change = 'email' in input ? { email: input.email } : { globalUnsubscribe: input.global_unsubscribe };
  const seen: CustomerRow[] = [];
  const result = await saveByOwner(services, siteId, id, change, async (_, customer) => {
    seen.push(customer);
  });
  const [before] = seen;
  // Nothing changed, so a failing read hides no completed work.
  if (before === undefined) return getCustomer(services, siteId, id);
  return presentCustomer(afterChoice(before, result), rules);
}

/** The row as the choice left it, returned without another read, which could fail. */
function afterChoice(before: CustomerRow, result: ChoiceResult): CustomerRow {
  return {
    ...before,
    email: result.email,
    global_unsubscribe: result.globalUnsubscribe,
    paused_until: result.pausedUntil,
    wrong_recipient_at: result.wrongRecipientAt ?? null,
    updated_at: result.at ?? before.updated_at,
  };
}

/** @param look gets the current state, inside the transaction of a choice that changes something */
async function saveByOwner(
  services: Services,
  siteId: string,
  id: string,
  change: ChoiceChange,
  look: (site: SiteDb, before: CustomerRow) => Promise<void>,
): Promise<ChoiceResult> {
  return saveChoice(services, siteId, id, change, byCaller(), {}, async (site, before) => {
    await look(site, before);
    return changeStatements(services, site, 'customer.changed', { id });
  });
}

function subscriptionsAfter(before: ListsOfCustomer, { subscriptions, at }: ChoiceResult): ListsOfCustomer {
  return {
    lists: before.lists,
    subscriptions: [...subscriptions].map(([listId, subscribed]) => {
      const known = before.subscriptions.find((one) => one.list_id === listId);
      if (known !== undefined && (known.subscribed === subscribed || at === null)) return known;
      return { list_id: listId, subscribed, changed_at: at ?? new Date(0) };
    }),
  };
}

export async function setCustomerLists(
  services: Services,
  siteId: string,
  id: string,
  preferences: readonly ListPreference[],
) {
  const lists = preferences.map((one) => ({ list_id: one.notification_list_id, subscribed: one.subscribed }));
  const seen: ListsOfCustomer[] = [];
  const result = await saveByOwner(services, siteId, id, { lists }, async (site) => {
    seen.push(await listsAndSubscriptions(site, id));
  });
  const [before] = seen;
  if (before === undefined) return getCustomerLists(services, siteId, id);
  return presentLists(subscriptionsAfter(before, result));
}
