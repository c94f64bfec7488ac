import { randomBytes } from 'node:crypto';
import type { Customer, CustomerDetails, ListPreference } from '#contract/customers.ts';
import { emailKey } from '#contract/email-key.ts';
import { changeStatements, recordChange } from '#server/accounts/audit-log/audit-log.ts';
import { addCounts, customerCounts, subscriberCounts } from '#server/audience/counters/counters.ts';
import { forgetDifferencesOfCustomer } from '#server/sync/comparisons/differences.sql.ts';
import {
  type ChoiceResult,
  type ChoiceWish,
  type Circumstances,
  UNSEEN,
  recordCreation,
  rulesOf,
  saveChoice,
} from '#server/choices/choices/choices.ts';
import { eraseAttemptsOfCustomer, hasOpenDeliveries } from '#server/delivery/deliveries/deliveries.sql.ts';
import { eraseInboundOfCustomer } from '#server/sync/inbound/inbound.sql.ts';
import { allLists, type ListRow } from '#server/audience/lists/lists.ts';
import { forgetKeptLinksOf } from '#server/sync/tool-links/tool-links.sql.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import { cursorOf, pageOf, wrongCursor } from '#server/platform/paging.ts';
import { sign } from '#server/platform/secrets.ts';
import type { Services } from '#server/platform/services.ts';
import { eraseMentions } from './mentions.sql.ts';
import { appointment } from '#server/audience/customers/appointments.sql.ts';
import { addressesOf, mentionOf, spellingsOf } from './addresses.ts';
import * as statements from '#server/audience/customers/customers.sql.ts';
import type { CustomerRow } from '#server/audience/customers/customers.sql.ts';
import { bounceOf } from '#server/audience/customers/email-bounces.ts';
import { forgetBounceOf } from '#server/audience/customers/email-bounces.sql.ts';
import { forgetPendingOf } from '#server/visit/pending-changes/pending-changes.sql.ts';

/** No call takes longer, however many a delivery needs. */
const LATE_TRACES_MINUTES = 5;

/** A choice that an owner records on somebody's behalf. */
export const BY_OWNER: Circumstances = {
  source: 'owner',
  authority: 'owner',
  saveId: null,
  ...UNSEEN,
};

export function presentCustomer(customer: CustomerRow): Customer {
  return {
    id: customer.id,
    email: customer.email ?? '',
    global_unsubscribe: customer.global_unsubscribe,
    paused_until: customer.paused_until?.toISOString() ?? null,
    links_ended_at: customer.links_ended_at?.toISOString() ?? null,
    created_at: customer.created_at.toISOString(),
    updated_at: customer.updated_at.toISOString(),
  };
}

/** Without a search the newest first, with one in the order of the addresses. */
export async function searchCustomers(
  services: Services,
  siteId: string,
  query: { search?: string | undefined; cursor?: string | undefined; limit: number },
) {
  const search = (query.search ?? '').trim();
  const { limit } = query;
  if (search !== '')
    return searchByStart(services, siteId, emailKey(search), { cursor: query.cursor, limit });
  const before = cursorOf(query.cursor);
  const rows = await services.database.readSite(siteId, (site) =>
    statements.newestCustomers(site, { before, limit }),
  );
  return pageOf(rows, limit, presentCustomer);
}

async function searchByStart(
  services: Services,
  siteId: string,
  start: string,
  { cursor, limit }: { cursor: string | undefined; limit: number },
) {
  const after = addressOfCursor(services, siteId, cursor);
  const rows = await services.database.readSite(siteId, (site) =>
    statements.customersByStart(site, start, { after, limit }),
  );
  const { results, next } = pageOf(rows, limit, presentCustomer);
  const last = next === null ? null : (rows[limit - 1]?.email_key ?? null);
  return { results, next: last === null ? null : cursorOfAddress(services, siteId, last) };
}

/** Cursors stand in addresses of calls, which are logged on the way: the customer's address is sealed in them. */
const cursorPurpose = (siteId: string) => `customer-search:${siteId}`;

function cursorOfAddress({ keyring }: Services, siteId: string, key: string): string {
  return keyring.seal(cursorPurpose(siteId), Buffer.from(key, 'utf8')).toString('base64url');
}

function addressOfCursor({ keyring }: Services, siteId: string, cursor: string | undefined): string | null {
  if (cursor === undefined || cursor === '') return null;
  const opened = keyring.open(cursorPurpose(siteId), Buffer.from(cursor, 'base64url'));
  if (opened === null) throw wrongCursor();
  return opened.toString('utf8');
}

export async function requireCustomer(site: SiteDb, id: string): Promise<CustomerRow> {
  const customer = await statements.findCustomer(site, id);
  if (customer === undefined) throw notFound('This customer');
  return customer;
}

export async function getCustomer(services: Services, siteId: string, id: string): Promise<Customer> {
  return presentCustomer(await services.database.readSite(siteId, (site) => requireCustomer(site, id)));
}

/** The same with what is known of their mailbox. */
export async function getCustomerDetails(
  services: Services,
  siteId: string,
  id: string,
): Promise<CustomerDetails> {
  return services.database.readSite(siteId, async (site) => {
    const customer = await requireCustomer(site, id);
    return { ...presentCustomer(customer), email_bounce: await bounceOf(site, customer) };
  });
}

/** What is kept of an erased address: it can be compared, not read. With each key, the newest first. */
export function erasedKeysOf(
  { keyring }: Pick<Services, 'keyring'>,
  siteId: string,
  email: string,
): Buffer[] {
  const keys = keyring.deriveAll(`erased-address:${siteId}`);
  // The key first; until addresses had keys, lower case was all that was done to them.
  return spellingsOf([email]).flatMap((address) =>
    keys.map((key) => sign(key, Buffer.from(address, 'utf8'))),
  );
}

/**
 * Adds a customer who has chosen nothing yet; one who was erased after leaving everything starts as having left.
 * @returns null when the address is a customer's already
 */
export async function addCustomer(
  services: Services,
  siteId: string,
  email: string,
  circumstances: Circumstances,
): Promise<CustomerRow | null> {
  const rules = await rulesOf(services, siteId);
  return services.database.inSite(siteId, async (site) => {
    const customer = await statements.insertCustomer(site, {
      id: newId(),
      email,
      email_key: emailKey(email),
      global_unsubscribe: await statements.wasErasedAsLeft(site, erasedKeysOf(services, siteId, email)),
      person_salt: randomBytes(16),
      now: services.clock.now(),
    });
    if (customer === undefined) return null;
    if (circumstances.source === 'owner') {
      await recordChange(services, site, 'customer.created', { id: customer.id });
    }
    await recordCreation(services, site, rules, customer, circumstances);
    return customer;
  });
}

export async function createCustomer(services: Services, siteId: string, email: string): Promise<Customer> {
  const customer = await addCustomer(services, siteId, email, BY_OWNER);
  if (customer === null) {
    throw new AppError('error_exists', 'email: there is a customer with this address already.', {
      field: 'email',
    });
  }
  return presentCustomer(customer);
}

export async function changeCustomer(
  services: Services,
  siteId: string,
  id: string,
  input: { email: string } | { global_unsubscribe: boolean },
): Promise<Customer> {
  const wish = 'email' in input ? { email: input.email } : { globalUnsubscribe: input.global_unsubscribe };
  const seen: CustomerRow[] = [];
  const result = await saveByOwner(services, siteId, id, wish, async (_, customer) => {
    seen.push(customer);
  });
  const [before] = seen;
  // Nothing was different, so nothing was done that a failing look could hide.
  if (before === undefined) return getCustomer(services, siteId, id);
  return presentCustomer(afterChoice(before, result));
}

/** The row as the choice left it: answered without another look, which could fail. */
function afterChoice(before: CustomerRow, result: ChoiceResult): CustomerRow {
  return {
    ...before,
    email: result.email,
    global_unsubscribe: result.globalUnsubscribe,
    paused_until: result.pausedUntil,
    updated_at: result.at ?? before.updated_at,
  };
}

/** @param look is told what is there, in the transaction of a choice that changes something */
async function saveByOwner(
  services: Services,
  siteId: string,
  id: string,
  wish: ChoiceWish,
  look: (site: SiteDb, before: CustomerRow) => Promise<void>,
): Promise<ChoiceResult> {
  return saveChoice(services, siteId, id, wish, BY_OWNER, {}, async (site, before) => {
    await look(site, before);
    return changeStatements(services, site, 'customer.changed', { id });
  });
}

/**
 * Erases a person at once. The evidence stays, but nobody can open any more whom it is about.
 * @throws AppError `not_found`
 */
export async function eraseCustomer(services: Services, siteId: string, id: string): Promise<void> {
  await services.database.inSite(siteId, async (site) => {
    const { id: customerId } = await requireCustomer(site, id);
    // Who leaves everything at this moment is kept as having left.
    await statements.holdCustomer(site, customerId);
    const customer = await requireCustomer(site, customerId);
    const rows = [customer, ...(await statements.mergedCustomers(site, customerId))];
    const addresses = await addressesOf(services, site, rows);
    const subscriptions = await statements.subscriptionsOf(site, customerId);
    for (const row of rows) await eraseRow(services, site, row);
    await eraseMentions(site, {
      customerIds: rows.map((row) => row.id),
      emailKeys: [...new Set(addresses.map(emailKey))],
      ...mentionOf(spellingsOf(addresses)),
    });
    await recordChange(services, site, 'customer.erased', { id: customerId });
    const received = customer.global_unsubscribe ? [] : subscriptions.filter((one) => one.subscribed);
    await addCounts(site, [
      ...customerCounts(customerId, -1),
      ...subscriberCounts(received.map(({ list_id }) => ({ list_id, value: -1 }))),
    ]);
  });
}

async function eraseRow(services: Services, site: SiteDb, customer: CustomerRow): Promise<void> {
  const { id, email } = customer;
  const hasLeft = customer.global_unsubscribe && customer.paused_until === null;
  const [newestKey = null] = erasedKeysOf(services, site.id, email ?? '');
  const now = services.clock.now();
  await eraseWhatWasTold(site, id, now);
  await forgetDifferencesOfCustomer(site, id);
  const erased = await statements.eraseCustomer(site, id, { erasedKey: hasLeft ? newestKey : null, now });
  if (!erased) throw notFound('This customer');
  // The row is locked: a link that is being kept meanwhile is gone as well.
  await forgetKeptLinksOf(site, id);
  await forgetPendingOf(site, id);
  await forgetBounceOf(site, id);
  if (!(await hasOpenDeliveries(site, id))) return;
  // A call that is under way is recorded with the address when it has ended.
  const dueAt = new Date(now.getTime() + LATE_TRACES_MINUTES * 60_000);
  const again = appointment(site, { customerId: id, kind: 'erase', dueAt, now });
  await site.query(again.sql, [...again.parameters]);
}

/** What was sent about the person, and what tools told of them. */
async function eraseWhatWasTold(site: SiteDb, id: string, now: Date): Promise<void> {
  await eraseAttemptsOfCustomer(site, id, now);
  await eraseInboundOfCustomer(site, id);
}

/**
 * Takes away what was under way while a person was erased, and was recorded after that.
 * @returns false when they are not erased
 */
export async function eraseLateTraces(services: Services, siteId: string, id: string): Promise<boolean> {
  return services.database.inSite(siteId, async (site) => {
    const customer = await statements.findOwnRow(site, id);
    if (customer !== undefined) return false;
    await eraseWhatWasTold(site, id, services.clock.now());
    return true;
  });
}

export async function getCustomerLists(services: Services, siteId: string, id: string) {
  return services.database.readSite(siteId, async (site) => {
    const { id: customerId } = await requireCustomer(site, id);
    return presentLists(await listsAndSubscriptions(site, customerId));
  });
}

interface ListsOfCustomer {
  lists: ListRow[];
  subscriptions: { list_id: string; subscribed: boolean; changed_at: Date }[];
}

async function listsAndSubscriptions(site: SiteDb, id: string): Promise<ListsOfCustomer> {
  const [lists, subscriptions] = await Promise.all([allLists(site), statements.subscriptionsOf(site, id)]);
  return { lists, subscriptions };
}

function presentLists({ lists, subscriptions }: ListsOfCustomer) {
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
