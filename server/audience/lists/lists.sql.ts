import type { Insertable, Selectable, Updateable } from 'kysely';
import type { TenantTables } from '#db/tables.ts';
import { advisoryLock, type SiteDb } from '#server/platform/database.ts';

export type ListRow = Selectable<TenantTables['lists']>;

export async function allLists(site: SiteDb): Promise<ListRow[]> {
  return site.db
    .selectFrom('lists')
    .selectAll()
    .where('site_id', '=', site.id)
    .orderBy('show_order')
    .orderBy('id')
    .execute();
}

/**
 * Changes of a site's lists as a whole (a second "last", another order, a deletion, a page that edits several)
 * wait for each other. Row locks would not do: they do not see a list that is being added, and two pages lock
 * their lists in different orders. To be taken before any row of lists or pages.
 */
export async function lockLists(site: SiteDb): Promise<void> {
  await advisoryLock(site, `lists:${site.id}`);
}

export async function findList(site: SiteDb, id: string): Promise<ListRow | undefined> {
  return site.db
    .selectFrom('lists')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function insertList(
  site: SiteDb,
  list: Omit<Insertable<TenantTables['lists']>, 'site_id'>,
): Promise<ListRow> {
  return site.db
    .insertInto('lists')
    .values({ ...list, site_id: site.id })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updateList(
  site: SiteDb,
  id: string,
  changes: Updateable<Omit<TenantTables['lists'], 'site_id'>>,
): Promise<ListRow | undefined> {
  return site.db
    .updateTable('lists')
    .set(changes)
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteList(site: SiteDb, id: string): Promise<boolean> {
  const result = await site.db
    .deleteFrom('lists')
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}
