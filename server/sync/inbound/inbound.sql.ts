import type { Insertable, Selectable } from 'kysely';
import type { TenantTables } from '#db/tables.ts';
import type { SiteDb } from '#server/platform/database.ts';

export type InboundRequestRow = Selectable<TenantTables['inbound_requests']>;
export type InboundEventRow = Selectable<TenantTables['inbound_events']>;

export async function insertRequest(
  site: SiteDb,
  request: Omit<Insertable<TenantTables['inbound_requests']>, 'site_id'>,
): Promise<void> {
  await site.db
    .insertInto('inbound_requests')
    .values({ ...request, site_id: site.id })
    .execute();
}

export async function findRequest(site: SiteDb, id: string): Promise<InboundRequestRow | undefined> {
  return site.db
    .selectFrom('inbound_requests')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Handled requests are not kept; unreadable ones are, for inspection. */
export async function closeRequest(site: SiteDb, id: string, state: 'done' | 'failed'): Promise<void> {
  await site.db
    .updateTable('inbound_requests')
    .set(state === 'done' ? { state, sealed: null } : { state })
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .execute();
}

export async function hasEvent(site: SiteDb, integrationId: string, eventKey: Buffer): Promise<boolean> {
  const row = await site.db
    .selectFrom('inbound_events')
    .select('id')
    .where('site_id', '=', site.id)
    .where('integration_id', '=', integrationId)
    .where('event_key', '=', eventKey)
    .executeTakeFirst();
  return row !== undefined;
}

/** An event recorded before stays unchanged. */
export async function insertEvent(
  site: SiteDb,
  event: Omit<Insertable<TenantTables['inbound_events']>, 'site_id'>,
): Promise<void> {
  await site.db
    .insertInto('inbound_events')
    .values({ ...event, site_id: site.id })
    .onConflict((conflict) => conflict.columns(['site_id', 'integration_id', 'event_key']).doNothing())
    .execute();
}

export async function eventsOfIntegration(
  site: SiteDb,
  integrationId: string,
  page: { before: string | null; limit: number },
): Promise<InboundEventRow[]> {
  let select = site.db
    .selectFrom('inbound_events')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('integration_id', '=', integrationId)
    .orderBy('id', 'desc')
    .limit(page.limit + 1);
  if (page.before !== null) select = select.where('id', '<', page.before);
  return select.execute();
}

/** Removes the link between an erased customer and a tool's events. */
export async function eraseInboundOfCustomer(site: SiteDb, customerId: string): Promise<void> {
  await site.db
    .updateTable('inbound_events')
    .set({ email_sealed: null })
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .execute();
}

/** @param before an id; older rows are deleted */
export async function deleteOldInbound(site: SiteDb, integrationId: string, before: string): Promise<void> {
  await site.db
    .deleteFrom('inbound_events')
    .where('site_id', '=', site.id)
    .where('integration_id', '=', integrationId)
    .where('id', '<', before)
    .execute();
  await site.db
    .deleteFrom('inbound_requests')
    .where('site_id', '=', site.id)
    .where('id', '<', before)
    .where('state', '<>', 'waiting')
    .execute();
}

export async function savePoll(
  site: SiteDb,
  integrationId: string,
  found: { poll_cursor?: string; poll_error: string | null },
): Promise<void> {
  await site.db
    .updateTable('integrations')
    .set(found)
    .where('site_id', '=', site.id)
    .where('id', '=', integrationId)
    .execute();
}
