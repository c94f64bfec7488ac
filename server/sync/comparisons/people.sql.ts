import { sql } from 'kysely';
import { type CustomerRow, subscriptionsOfMany } from '#server/audience/customers/customers.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { LEAVING, type Person } from './wanted.ts';

/** The next people who are not erased, in the order of their ids. */
export async function peopleAfter(
  site: SiteDb,
  integrationId: string,
  { after, limit }: { after: string | null; limit: number },
): Promise<Person[]> {
  let select = selectCustomers(site).orderBy('id').limit(limit);
  if (after !== null) select = select.where('id', '>', after);
  return withState(site, integrationId, await select.execute());
}

/** undefined: erased */
export async function findPerson(
  site: SiteDb,
  integrationId: string,
  id: string,
): Promise<Person | undefined> {
  const rows = await selectCustomers(site).where('id', '=', id).execute();
  return (await withState(site, integrationId, rows))[0];
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
  site: SiteDb,
  integrationId: string,
  customers: readonly CustomerRow[],
): Promise<Person[]> {
  if (customers.length === 0) return [];
  const ids = customers.map(({ id }) => id);
  const subscriptions = Map.groupBy(await subscriptionsOfMany(site, ids), (one) => one.customer_id);
  const underWay = await withDeliveryUnderWay(site, integrationId, ids);
  const takenOff = await takenOffLast(site, integrationId, ids);
  const returned = await thoseWhoReturned(site, ids);
  return customers.flatMap((customer) => {
    if (customer.email === null) return [];
    const chosen = subscriptions.get(customer.id) ?? [];
    return [
      {
        id: customer.id,
        email: customer.email,
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

/** That a pause ends is no return: nobody had left. */
async function thoseWhoReturned(site: SiteDb, ids: readonly string[]): Promise<Set<string>> {
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

async function withDeliveryUnderWay(
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

/** Something that the tool was brought to, about a list or everything. */
interface Told {
  customer_id: string;
  at: Date | null;
  isOff: boolean;
}

/** Those whom the last that the tool was told of took off. */
async function takenOffLast(
  site: SiteDb,
  integrationId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const told = [
    ...(await lastDelivered(site, integrationId, ids)),
    ...(await lastMended(site, integrationId, ids)),
  ].toSorted((one, other) => (one.at?.getTime() ?? 0) - (other.at?.getTime() ?? 0));
  const last = new Map(told.map((one) => [one.customer_id, one.isOff]));
  return new Set([...last].flatMap(([id, isOff]) => (isOff ? [id] : [])));
}

async function lastDelivered(site: SiteDb, integrationId: string, ids: readonly string[]): Promise<Told[]> {
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

async function lastMended(site: SiteDb, integrationId: string, ids: readonly string[]): Promise<Told[]> {
  const rows = await site.db
    .selectFrom('differences')
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
