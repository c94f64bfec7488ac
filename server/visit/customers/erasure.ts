import { emailKey } from '#contract/email-key.ts';
import { recordChange } from '#server/accounts/audit-log/audit-log.ts';
import { addCounts, customerCounts, subscriberCounts } from '#server/audience/counters/counters.ts';
import { eraseComplaintsOf } from '#server/audience/complaints/complaints.ts';
import { mentionOf, spellingsOf } from '#server/audience/customers/address-spellings.ts';
import { setCustomerTimer, type CustomerTimerRow } from '#server/audience/customers/customer-timers.ts';
import {
  type CustomerRow,
  eraseCustomer as eraseCustomerRow,
  addressHashesOf,
  findCustomerRow,
  lockCustomerRow,
  mergedCustomers,
  requireCustomer,
  subscriptionsOf,
} from '#server/audience/customers/customers.ts';
import { deleteBounceOf } from '#server/audience/customers/email-bounces.ts';
import { type ChoiceContext, saveChoice } from '#server/choices/choices/choices.ts';
import { deleteFormerAddressesOf } from '#server/audience/kept-opt-outs/kept-opt-outs.ts';
import { eraseAttemptsOfCustomer, hasOpenDeliveries } from '#server/delivery/deliveries/deliveries.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import { deleteDiscrepanciesOfCustomer } from '#server/sync/reconciliation/discrepancies.ts';
import { eraseInboundOfCustomer } from '#server/sync/inbound/inbound.ts';
import { deleteSyncedLinksOf } from '#server/sync/tool-links/tool-links.ts';
import { deletePendingOf } from '#server/visit/pending-changes/pending-changes.sql.ts';
import { addressesOf } from './known-addresses.ts';
import { eraseMentions } from './mentions.sql.ts';

/** A tool that stays unreachable delays an erasure no longer than this, which is also when retries end. */
const LONGEST_WAIT_DAYS = 5;
const LOOK_AGAIN_MINUTES = 5;

/**
 * Erases a customer on request: unsubscribes them from everything first, so that every tool is updated, then erases
 * them once no delivery about them is pending, after five days at the latest.
 * @returns whether the customer is already erased
 * @throws AppError `not_found`
 */
export async function requestErasure(
  services: Services,
  siteId: string,
  customerId: string,
  context: ChoiceContext,
): Promise<{ erased: boolean }> {
  const now = services.clock.now();
  const erase = (site: SiteDb) =>
    setCustomerTimer(site, { customerId, kind: 'erase', dueAt: nextEraseAttempt(now), now });
  // In the same transaction as the unsubscribe: either both happen, or the request fails.
  const left = await saveChoice(
    services,
    siteId,
    customerId,
    { globalUnsubscribe: true },
    context,
    {},
    async (site) => [erase(site)],
  );
  if (left.choiceId === null) {
    await services.database.inSite(siteId, (site) => site.commitWith([erase(site)]));
  }
  return { erased: await eraseNow(services, siteId, customerId) };
}

/** Erases at once if no delivery is pending; if that cannot be determined now, the timer remains. */
async function eraseNow(services: Services, siteId: string, customerId: string): Promise<boolean> {
  try {
    const isWaiting = await services.database.readSite(siteId, (site) => hasOpenDeliveries(site, customerId));
    if (!isWaiting) await eraseCustomer(services, siteId, customerId);
    return !isWaiting;
  } catch (error) {
    services.log.warn({ err: error }, 'could not erase a customer right away; will be tried again');
    return false;
  }
}

function nextEraseAttempt(now: Date): Date {
  return new Date(now.getTime() + LOOK_AGAIN_MINUTES * 60_000);
}

/** @returns when to try again; null once the customer is erased */
export async function eraseOnceToolsAreUpdated(
  services: Services,
  timer: CustomerTimerRow,
): Promise<Date | null> {
  if (await eraseLateTraces(services, timer.site_id, timer.customer_id)) return null;
  const now = services.clock.now();
  const waited = now.getTime() - timer.created_at.getTime();
  const mayWait = waited < LONGEST_WAIT_DAYS * 86_400_000;
  const isWaiting = await services.database.readSite(timer.site_id, (site) =>
    hasOpenDeliveries(site, timer.customer_id),
  );
  if (isWaiting && mayWait) return nextEraseAttempt(now);
  try {
    await eraseCustomer(services, timer.site_id, timer.customer_id);
  } catch (error) {
    // The customer was erased concurrently.
    if (!(error instanceof AppError && error.code === 'not_found')) throw error;
  }
  return null;
}

/** The longest that any single call takes. */
const LATE_TRACES_MINUTES = 5;

/**
 * Erases a customer immediately. The evidence stays, but can no longer be linked to them.
 * @throws AppError `not_found`
 */
export async function eraseCustomer(services: Services, siteId: string, id: string): Promise<void> {
  await services.database.inSite(siteId, async (site) => {
    const { id: customerId } = await requireCustomer(site, id);
    // A concurrent unsubscribe from everything is kept as an opt-out.
    await lockCustomerRow(site, customerId);
    const customer = await requireCustomer(site, customerId);
    const rows = [customer, ...(await mergedCustomers(site, customerId))];
    const addresses = await addressesOf(services, site, rows);
    const subscriptions = await subscriptionsOf(site, customerId);
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

/**
 * Erases a customer who never was one: made by mistake, and untouched by anybody else. Requires their lock. Their lists are
 * gone already; that the evidence stays is why the row does.
 */
export async function eraseUnusedCustomer(
  services: Services,
  site: SiteDb,
  customer: CustomerRow,
): Promise<void> {
  await eraseRow(services, site, customer);
  await addCounts(site, customerCounts(customer.id, -1));
}

async function eraseRow(services: Services, site: SiteDb, customer: CustomerRow): Promise<void> {
  const { id, email } = customer;
  const hasLeft = customer.global_unsubscribe && customer.paused_until === null;
  const [newestKey = null] = addressHashesOf(services, site.id, email ?? '');
  const now = services.clock.now();
  await eraseToolData(site, id, now);
  await deleteDiscrepanciesOfCustomer(site, id);
  const erased = await eraseCustomerRow(site, id, { erasedKey: hasLeft ? newestKey : null, now });
  if (!erased) throw notFound('This customer');
  // The row is locked, so a link stored concurrently is deleted as well.
  await deleteSyncedLinksOf(site, id);
  await deletePendingOf(site, id);
  await deleteFormerAddressesOf(site, id);
  await eraseComplaintsOf(site, id, now);
  await deleteBounceOf(site, id);
  if (!(await hasOpenDeliveries(site, id))) return;
  // A call in progress will record the address when it ends.
  const dueAt = new Date(now.getTime() + LATE_TRACES_MINUTES * 60_000);
  const again = setCustomerTimer(site, { customerId: id, kind: 'erase', dueAt, now });
  await site.query(again.sql, [...again.parameters]);
}

/** Content sent about the customer, and events received from tools. */
async function eraseToolData(site: SiteDb, id: string, now: Date): Promise<void> {
  await eraseAttemptsOfCustomer(site, id, now);
  await eraseInboundOfCustomer(site, id);
}

/**
 * Deletes what was in progress during an erasure and recorded after it.
 * @returns false if the customer is not erased
 */
export async function eraseLateTraces(services: Services, siteId: string, id: string): Promise<boolean> {
  return services.database.inSite(siteId, async (site) => {
    const customer = await findCustomerRow(site, id);
    if (customer !== undefined) return false;
    await eraseToolData(site, id, services.clock.now());
    return true;
  });
}
