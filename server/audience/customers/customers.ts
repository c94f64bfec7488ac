import type { Customer, CustomerDetails } from '#contract/customers.ts';
import { isTestEmail, type TestRules, testRulesOf } from '#server/accounts/sites/test-rules.ts';
import { allLists, type ListRow } from '#server/audience/lists/lists.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { notFound } from '#server/platform/errors.ts';
import { sign } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { spellingsOf } from './address-spellings.ts';
import * as statements from './customers.sql.ts';
import type { CustomerRow } from './customers.sql.ts';
import { bounceOf } from './email-bounces.ts';

export type { CustomerOnPageRow, CustomerRow } from './customers.sql.ts';
export {
  beginLinkGeneration,
  countCustomers,
  countWrongRecipients,
  customersByEmails,
  customersByIds,
  customersOnPage,
  eraseCustomer,
  erasedAsLeft,
  findCustomer,
  findCustomerByEmail,
  findCustomerRow,
  lockCustomerRow,
  insertCustomer,
  lockCustomers,
  mergedCustomers,
  lockAndReadSubscriptions,
  subscriptionsOf,
  subscriptionsOfMany,
  erasedAsLeftAt,
} from './customers.sql.ts';

export function presentCustomer(customer: CustomerRow, test: TestRules): Customer {
  return {
    id: customer.id,
    email: customer.email ?? '',
    global_unsubscribe: customer.global_unsubscribe,
    paused_until: customer.paused_until?.toISOString() ?? null,
    wrong_recipient_at: wrongRecipientAt(customer)?.toISOString() ?? null,
    links_ended_at: customer.links_ended_at?.toISOString() ?? null,
    test: isTestEmail(test, customer.email),
    created_at: customer.created_at.toISOString(),
    updated_at: customer.updated_at.toISOString(),
  };
}

/** A process of the version before leaves the column behind when somebody comes back. */
function wrongRecipientAt(customer: CustomerRow): Date | null {
  const { global_unsubscribe: isStopped, paused_until: until, wrong_recipient_at: at } = customer;
  return isStopped && until === null ? at : null;
}

export async function requireCustomer(site: SiteDb, id: string): Promise<CustomerRow> {
  const customer = await statements.findCustomer(site, id);
  if (customer === undefined) throw notFound('This customer');
  return customer;
}

export async function getCustomer(services: Services, siteId: string, id: string): Promise<Customer> {
  const rules = await testRulesOf(services, siteId);
  const customer = await services.database.readSite(siteId, (site) => requireCustomer(site, id));
  return presentCustomer(customer, rules);
}

/** The same with the lists that they receive, and what is known of their mailbox. */
export async function getCustomerDetails(
  services: Services,
  siteId: string,
  id: string,
): Promise<CustomerDetails> {
  const rules = await testRulesOf(services, siteId);
  return services.database.readSite(siteId, async (site) => {
    const customer = await requireCustomer(site, id);
    const [subscriptions, email_bounce] = await Promise.all([
      customer.global_unsubscribe ? [] : statements.subscriptionsOf(site, customer.id),
      bounceOf(site, customer),
    ]);
    const receives = subscriptions.filter((one) => one.subscribed).map((one) => one.list_id);
    return { ...presentCustomer(customer, rules), receives, email_bounce };
  });
}

/** Keyed hashes of an address: they can be compared, not read. With each key, the newest first. */
export function addressHashesOf(
  { keyring }: Pick<Services, 'keyring'>,
  siteId: string,
  email: string,
): Buffer[] {
  const keys = keyring.deriveAll(`address-hash:${siteId}`);
  // The key first; until addresses had keys, lower case was all that was done to them.
  return spellingsOf([email]).flatMap((address) =>
    keys.map((key) => sign(key, Buffer.from(address, 'utf8'))),
  );
}

export async function getCustomerLists(services: Services, siteId: string, id: string) {
  return services.database.readSite(siteId, async (site) => {
    const { id: customerId } = await requireCustomer(site, id);
    return presentLists(await listsAndSubscriptions(site, customerId));
  });
}

export interface ListsOfCustomer {
  lists: ListRow[];
  subscriptions: { list_id: string; subscribed: boolean; changed_at: Date }[];
}

export async function listsAndSubscriptions(site: SiteDb, id: string): Promise<ListsOfCustomer> {
  const [lists, subscriptions] = await Promise.all([allLists(site), statements.subscriptionsOf(site, id)]);
  return { lists, subscriptions };
}

export function presentLists({ lists, subscriptions }: ListsOfCustomer) {
  const results = lists.map((list) => {
    const chosen = subscriptions.find((one) => one.list_id === list.id);
    return {
      notification_list_id: list.id,
      name: list.name,
      subscribed: chosen?.subscribed ?? null,
      changed_at: chosen?.changed_at.toISOString() ?? null,
    };
  });
  return { results, next: null };
}
