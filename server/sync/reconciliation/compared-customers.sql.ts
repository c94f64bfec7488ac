import { sql } from 'kysely';
import { type CustomerRow, subscriptionsOfMany } from '#server/audience/customers/customers.ts';
import { formerEmailsOf } from '#server/delivery/sending/former-emails.ts';
import type { SiteDb } from '#server/platform/database.ts';
import type { Services } from '#server/platform/services.ts';
import { LEAVING, type ComparedCustomer } from './desired-changes.ts';

/** The next customers by id, without erased ones. */
export async function comparedCustomersAfter(
  services: Pick<Services, 'keyring'>,
  site: SiteDb,
  integrationId: string,
  { after, limit }: { after: string | null; limit: number },
): Promise<ComparedCustomer[]> {
  let select = selectCustomers(site).orderBy('id').limit(limit);
  if (after !== null) select = select.where('id', '>', after);
  return withState(services, site, integrationId, await select.execute());
}

/** undefined: erased */
export async function findComparedCustomer(
  services: Pick<Services, 'keyring'>,
  site: SiteDb,
  integrationId: string,
  id: string,
): Promise<ComparedCustomer | undefined> {
  const rows = await selectCustomers(site).where('id', '=', id).execute();
  return (await withState(services, site, integrationId, rows))[0];
}

function selectCustomers(site: SiteDb) {
  return site.db
    .selectFrom('customers')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('erased_at', 'is', null)
    .where('merged_into', 'is', null);
}

async function withState(
  services: Pick<Services, 'keyring'>,
  site: SiteDb,
  integrationId: string,
  customers: readonly CustomerRow[],
): Promise<ComparedCustomer[]> {
  if (customers.length === 0) return [];
  const ids = customers.map(({ id }) => id);
  const subscriptions = Map.groupBy(await subscriptionsOfMany(site, ids), (one) => one.customer_id);
  const underWay = await customersWithOpenDelivery(site, integrationId, ids);
  const takenOff = await lastWriteWasRemoval(site, integrationId, ids);
  const returned = await customersWhoReturned(site, ids);
  const former = await formerEmailsOf(services, site, integrationId, ids);
  return customers.flatMap((customer) => {
    if (customer.email === null) return [];
    const chosen = subscriptions.get(customer.id) ?? [];
    return [
      {
        id: customer.id,
        email: customer.email,
        formerEmails: former.get(customer.id) ?? [],
        sequence: customer.sequence,
        changedAt: customer.updated_at,
        hasReturned: returned.has(customer.id),
        now: {
          globalUnsubscribe: customer.global_unsubscribe,
          pausedUntil: customer.paused_until,
          subscriptions: new Map(chosen.map((one) => [one.list_id, one.subscribed])),
        },
        isUnderWay: underWay.has(customer.id),
        wasTakenOff: takenOff.has(customer.id),
      },
    ];
  });
}

/** The end of a pause does not count as resubscribing. */
async function customersWhoReturned(site: SiteDb, ids: readonly string[]): Promise<Set<string>> {
  const rows = await site.db
    .selectFrom('choices')
    .select('customer_id')
    .distinct()
    .where('site_id', '=', site.id)
    .where('customer_id', 'in', ids)
    .where('source', '<>', 'pause_end')
    .where(sql<boolean>`'global_resubscribed' = any(events)`)
    .execute();
  return new Set(rows.map((row) => row.customer_id));
}

async function customersWithOpenDelivery(
  site: SiteDb,
  integrationId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await site.db
    .selectFrom('deliveries')
    .innerJoin('actions', (join) =>
      join
        .onRef('actions.site_id', '=', 'deliveries.site_id')
        .onRef('actions.id', '=', 'deliveries.action_id'),
    )
    .select('deliveries.customer_id')
    .distinct()
    .where('deliveries.site_id', '=', site.id)
    .where('actions.site_id', '=', site.id)
    .where('actions.integration_id', '=', integrationId)
    .where('deliveries.customer_id', 'in', ids)
    .where('deliveries.status', '=', 'waiting')
    .execute();
  return new Set(rows.map((row) => row.customer_id));
}

/** A write to the tool about a list or about everything. */
interface ToolWrite {
  customer_id: string;
  at: Date | null;
  isOff: boolean;
}

/** Customers whose last write to the tool was a removal. */
async function lastWriteWasRemoval(
  site: SiteDb,
  integrationId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const told = [
    ...(await lastDelivered(site, integrationId, ids)),
    ...(await lastRepaired(site, integrationId, ids)),
  ].toSorted((one, other) => (one.at?.getTime() ?? 0) - (other.at?.getTime() ?? 0));
  const last = new Map(told.map((one) => [one.customer_id, one.isOff]));
  return new Set([...last].flatMap(([id, isOff]) => (isOff ? [id] : [])));
}

async function lastDelivered(
  site: SiteDb,
  integrationId: string,
  ids: readonly string[],
): Promise<ToolWrite[]> {
  const rows = await site.db
    .selectFrom('deliveries')
    .innerJoin('actions', (join) =>
      join
        .onRef('actions.site_id', '=', 'deliveries.site_id')
        .onRef('actions.id', '=', 'deliveries.action_id'),
    )
    .distinctOn('deliveries.customer_id')
    .select(['deliveries.customer_id', 'deliveries.event', 'deliveries.finished_at as at'])
    .where('deliveries.site_id', '=', site.id)
    .where('actions.site_id', '=', site.id)
    .where('actions.integration_id', '=', integrationId)
    .where('actions.type', 'in', ['list', 'global_unsubscribe'])
    .where('deliveries.customer_id', 'in', ids)
    .where('deliveries.status', '=', 'arrived')
    // Without an attempt there was nothing to bring any more.
    .where('deliveries.attempt_count', '>', 0)
    .orderBy('deliveries.customer_id')
    .orderBy('deliveries.finished_at', 'desc')
    .execute();
  return rows.map(({ event, ...row }) => ({ ...row, isOff: LEAVING.includes(event) }));
}

async function lastRepaired(
  site: SiteDb,
  integrationId: string,
  ids: readonly string[],
): Promise<ToolWrite[]> {
  const rows = await site.db
    .selectFrom('discrepancies')
    .distinctOn('customer_id')
    .select(['customer_id', 'change', 'resolved_at as at'])
    .where('site_id', '=', site.id)
    .where('integration_id', '=', integrationId)
    .where('customer_id', 'in', ids)
    .where('status', '=', 'mended')
    .where('kind', '<>', 'opted_out_there')
    .where((eb) => eb.or([eb('target_key', '=', 'global_unsubscribe'), eb('target_key', 'like', 'list:%')]))
    .orderBy('customer_id')
    .orderBy('resolved_at', 'desc')
    .execute();
  return rows.map(({ change, ...row }) => ({ ...row, isOff: change.on !== (change.type === 'list') }));
}
