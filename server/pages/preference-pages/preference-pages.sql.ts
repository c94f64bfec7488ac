import type { Insertable, Selectable, Updateable } from 'kysely';
import type { PageContent } from '#contract/page-drafts.ts';
import type { TenantTables } from '#db/tables.ts';
import type { ListRow } from '#server/audience/lists/lists.ts';
import type { SiteDb } from '#server/platform/database.ts';

export type PageRow = Selectable<TenantTables['preference_pages']>;

export async function allPages(site: SiteDb): Promise<PageRow[]> {
  return site.db
    .selectFrom('preference_pages')
    .selectAll()
    .where('site_id', '=', site.id)
    .orderBy('id')
    .execute();
}

export async function findPage(site: SiteDb, id: string): Promise<PageRow | undefined> {
  return site.db
    .selectFrom('preference_pages')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function lockPage(site: SiteDb, id: string): Promise<PageRow | undefined> {
  return site.db
    .selectFrom('preference_pages')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

/** A page with the stored content of its version; null: it was published before versions were stored. */
export async function findPublished(
  site: SiteDb,
  column: 'id' | 'custom_path',
  value: string,
): Promise<(PageRow & { content: PageContent | null }) | undefined> {
  return site.db
    .selectFrom('preference_pages')
    .leftJoin('page_versions', (join) =>
      join
        .onRef('page_versions.site_id', '=', 'preference_pages.site_id')
        .onRef('page_versions.page_id', '=', 'preference_pages.id')
        .onRef('page_versions.version', '=', 'preference_pages.version'),
    )
    .selectAll('preference_pages')
    .select('page_versions.content')
    .where('preference_pages.site_id', '=', site.id)
    .where(`preference_pages.${column}`, '=', value)
    .executeTakeFirst();
}

/** The lists of pages, in each page's order. */
export async function listsOfPages(
  site: SiteDb,
  pageIds: readonly string[],
): Promise<(ListRow & { page_id: string })[]> {
  if (pageIds.length === 0) return [];
  return site.db
    .selectFrom('page_lists')
    .innerJoin('lists', (join) =>
      join.onRef('lists.site_id', '=', 'page_lists.site_id').onRef('lists.id', '=', 'page_lists.list_id'),
    )
    .selectAll('lists')
    .select('page_lists.page_id')
    .where('page_lists.site_id', '=', site.id)
    .where('lists.site_id', '=', site.id)
    .where('page_lists.page_id', 'in', pageIds)
    .orderBy('page_lists.position')
    .execute();
}

export async function insertPage(
  site: SiteDb,
  page: Omit<Insertable<TenantTables['preference_pages']>, 'site_id'>,
): Promise<PageRow> {
  return site.db
    .insertInto('preference_pages')
    .values({ ...page, site_id: site.id })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updatePage(
  site: SiteDb,
  id: string,
  changes: Updateable<Omit<TenantTables['preference_pages'], 'site_id'>>,
): Promise<PageRow> {
  return site.db
    .updateTable('preference_pages')
    .set(changes)
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deletePage(site: SiteDb, id: string): Promise<boolean> {
  const result = await site.db
    .deleteFrom('preference_pages')
    .where('site_id', '=', site.id)
    .where('id', '=', id)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export async function setPageLists(site: SiteDb, pageId: string, listIds: readonly string[]): Promise<void> {
  await site.db
    .deleteFrom('page_lists')
    .where('site_id', '=', site.id)
    .where('page_id', '=', pageId)
    .execute();
  if (listIds.length === 0) return;
  await site.db
    .insertInto('page_lists')
    .values(
      listIds.map((listId, position) => ({ site_id: site.id, page_id: pageId, list_id: listId, position })),
    )
    .execute();
}
