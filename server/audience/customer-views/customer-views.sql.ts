import type { Insertable, Selectable, Updateable } from 'kysely';
import type { TenantTables } from '#db/tables.ts';
import type { SiteDb } from '#server/platform/database.ts';

export type ViewRow = Selectable<TenantTables['customer_views']>;

export async function viewsByName(site: SiteDb): Promise<ViewRow[]> {
  return site.db
    .selectFrom('customer_views')
    .selectAll()
    .where('site_id', '=', site.id)
    .orderBy('name_key')
    .execute();
}

export async function insertView(
  site: SiteDb,
  view: Omit<Insertable<TenantTables['customer_views']>, 'site_id'>,
): Promise<ViewRow> {
  return site.db
    .insertInto('customer_views')
    .values({ ...view, site_id: site.id })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updateView(
  site: SiteDb,
  id: string,
  changes: Updateable<Omit<TenantTables['customer_views'], 'site_id'>>,
): Promise<ViewRow | undefined> {
  return site.db
    .updateTable('customer_views')
    .set(changes)
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteView(site: SiteDb, id: string): Promise<boolean> {
  const result = await site.db
    .deleteFrom('customer_views')
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}
