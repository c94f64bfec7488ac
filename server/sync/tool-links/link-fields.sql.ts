import type { Insertable, Selectable, Updateable } from 'kysely';
import type { TenantTables } from '#db/tables.ts';
import type { SiteDb } from '#server/platform/database.ts';

export type LinkFieldRow = Selectable<TenantTables['link_fields']>;
export type SyncedLinkRow = Selectable<TenantTables['synced_links']>;

export async function allLinkFields(site: SiteDb): Promise<LinkFieldRow[]> {
  return site.db.selectFrom('link_fields').selectAll().where('site_id', '=', site.id).execute();
}

export async function findLinkField(site: SiteDb, integrationId: string): Promise<LinkFieldRow | undefined> {
  return site.db
    .selectFrom('link_fields')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('integration_id', '=', integrationId)
    .executeTakeFirst();
}

export async function insertLinkField(
  site: SiteDb,
  field: Omit<Insertable<TenantTables['link_fields']>, 'site_id'>,
): Promise<void> {
  await site.db
    .insertInto('link_fields')
    .values({ ...field, site_id: site.id })
    .execute();
}

/** With the state of all its links. */
export async function deleteLinkField(site: SiteDb, integrationId: string): Promise<void> {
  await site.db
    .deleteFrom('link_fields')
    .where('site_id', '=', site.id)
    .where('integration_id', '=', integrationId)
    .execute();
}

/** @returns false if another field was chosen */
export async function updateLinkField(
  site: SiteDb,
  id: string,
  changes: Updateable<
    Pick<LinkFieldRow, 'full_sync_cursor' | 'full_sync_due_at' | 'choice_cursor' | 'trouble'>
  >,
): Promise<boolean> {
  const result = await site.db
    .updateTable('link_fields')
    .set(changes)
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Makes the next run of each tool a full round. */
export async function startRoundsNow(site: Pick<SiteDb, 'id' | 'db'>, now: Date): Promise<void> {
  await site.db
    .updateTable('link_fields')
    .set({ full_sync_due_at: now })
    .where('site_id', '=', site.id)
    .execute();
}

/** Decides whether a link is current. */
export interface LinkFreshness {
  /** Ids of the keys still in use. */
  keyIds: readonly Buffer[];
  now: Date;
  /** No retry is put off for longer. */
  latestRetry: Date;
  /** Links issued on this day or before are renewed. */
  renewedOf: number;
}

/**
 * Customers without a current link: never tried, chosen since, due for a retry, or with a link whose key is gone,
 * that was revoked, or that is old enough to renew.
 */
function staleLinks(
  site: SiteDb,
  linkFieldId: string,
  { keyIds, now, latestRetry, renewedOf }: LinkFreshness,
) {
  return site.db
    .selectFrom('customers')
    .leftJoin('synced_links', (join) =>
      join
        .onRef('synced_links.site_id', '=', 'customers.site_id')
        .onRef('synced_links.customer_id', '=', 'customers.id')
        .on('synced_links.link_field_id', '=', linkFieldId),
    )
    .select('customers.id')
    .where('customers.site_id', '=', site.id)
    .where('customers.erased_at', 'is', null)
    .where('customers.merged_into', 'is', null)
    .where((eb) =>
      eb.or([
        eb('synced_links.sequence', 'is', null),
        eb('synced_links.sequence', '<>', eb.ref('customers.sequence')),
        eb('synced_links.retry_at', '<=', now),
        // A clock that was ahead wrote it.
        eb('synced_links.retry_at', '>', latestRetry),
        eb('synced_links.key_id', 'not in', [...keyIds]),
        eb('synced_links.link_generation', '<>', eb.ref('customers.link_generation')),
        eb.and([eb('synced_links.state', '=', 'synced'), eb('synced_links.issued_on', '<=', renewedOf)]),
      ]),
    )
    .orderBy('customers.id');
}

export async function staleLinksAfter(
  site: SiteDb,
  linkFieldId: string,
  { after, limit, ...now }: LinkFreshness & { after: string; limit: number },
): Promise<string[]> {
  const rows = await staleLinks(site, linkFieldId, now)
    .where('customers.id', '>', after)
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export async function staleLinksAmong(
  site: SiteDb,
  linkFieldId: string,
  { customerIds, ...now }: LinkFreshness & { customerIds: readonly string[] },
): Promise<string[]> {
  const rows = await staleLinks(site, linkFieldId, now)
    .where('customers.id', 'in', [...customerIds])
    .execute();
  return rows.map(({ id }) => id);
}

/** In order of their ids, and so of their times. */
export async function choicesBetween(
  site: SiteDb,
  { after, before, limit }: { after: string; before: string; limit: number },
): Promise<{ id: string; customer_id: string }[]> {
  return site.db
    .selectFrom('choices')
    .select(['id', 'customer_id'])
    .where('site_id', '=', site.id)
    .where('id', '>', after)
    .where('id', '<', before)
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function lastChoiceBefore(site: SiteDb, before: string): Promise<string | undefined> {
  const row = await site.db
    .selectFrom('choices')
    .select('id')
    .where('site_id', '=', site.id)
    .where('id', '<', before)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

export async function findSyncedLink(
  site: SiteDb,
  linkFieldId: string,
  customerId: string,
): Promise<SyncedLinkRow | undefined> {
  return site.db
    .selectFrom('synced_links')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('link_field_id', '=', linkFieldId)
    .where('customer_id', '=', customerId)
    .executeTakeFirst();
}

/** Saves nothing for a customer erased meanwhile: the lock orders it before or after the erasure. */
export async function saveSyncedLink(site: SiteDb, { site_id: _, ...link }: SyncedLinkRow): Promise<void> {
  const customer = await site.db
    .selectFrom('customers')
    .select('id')
    .where('site_id', '=', site.id)
    .where('id', '=', link.customer_id)
    .where('erased_at', 'is', null)
    .where('merged_into', 'is', null)
    .forShare()
    .executeTakeFirst();
  if (customer === undefined) return;
  const { link_field_id: _field, customer_id: _customer, ...values } = link;
  await site.db
    .insertInto('synced_links')
    .values({ ...link, site_id: site.id })
    .onConflict((conflict) =>
      conflict.columns(['site_id', 'link_field_id', 'customer_id']).doUpdateSet(values),
    )
    .execute();
}

export async function deleteSyncedLinksOf(site: SiteDb, customerId: string): Promise<void> {
  await site.db
    .deleteFrom('synced_links')
    .where('site_id', '=', site.id)
    .where('customer_id', '=', customerId)
    .execute();
}

/** Count per state, with one of the tool's messages. */
export async function countSyncedLinks(
  site: SiteDb,
  linkFieldId: string,
): Promise<{ state: SyncedLinkRow['state']; count: number; error: string | null }[]> {
  const rows = await site.db
    .selectFrom('synced_links')
    .select((eb) => ['state', eb.fn.countAll<string>().as('count'), eb.fn.max('error').as('error')])
    .where('site_id', '=', site.id)
    .where('link_field_id', '=', linkFieldId)
    .groupBy('state')
    .execute();
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}
