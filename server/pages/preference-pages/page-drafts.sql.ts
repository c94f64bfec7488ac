import type { Insertable, Selectable, Updateable } from 'kysely';
import type { TenantTables } from '#db/tables.ts';
import type { SiteDb } from '#server/platform/database.ts';

export type DraftRow = Selectable<TenantTables['page_drafts']>;
export type VersionRow = Selectable<TenantTables['page_versions']>;

export async function findDraft(site: SiteDb, pageId: string): Promise<DraftRow | undefined> {
  return site.db
    .selectFrom('page_drafts')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('page_id', '=', pageId)
    .executeTakeFirst();
}

/** When each page's draft was last saved, by page id. */
export async function savedDrafts(site: SiteDb): Promise<Map<string, Date>> {
  const rows = await site.db
    .selectFrom('page_drafts')
    .select(['page_id', 'saved_at'])
    .where('site_id', '=', site.id)
    .execute();
  return new Map(rows.map(({ page_id, saved_at }) => [page_id, saved_at]));
}

export async function insertDraft(
  site: SiteDb,
  draft: Omit<Insertable<TenantTables['page_drafts']>, 'site_id'>,
): Promise<DraftRow> {
  return site.db
    .insertInto('page_drafts')
    .values({ ...draft, site_id: site.id })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updateDraft(
  site: SiteDb,
  pageId: string,
  changes: Omit<Updateable<TenantTables['page_drafts']>, 'site_id' | 'page_id' | 'created_at'>,
): Promise<DraftRow> {
  return site.db
    .updateTable('page_drafts')
    .set(changes)
    .where('site_id', '=', site.id)
    .where('page_id', '=', pageId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteDraft(site: SiteDb, pageId: string): Promise<void> {
  await site.db
    .deleteFrom('page_drafts')
    .where('site_id', '=', site.id)
    .where('page_id', '=', pageId)
    .execute();
}

/** Without contents, newest first. */
export async function versionsOf(site: SiteDb, pageId: string): Promise<Omit<VersionRow, 'content'>[]> {
  return site.db
    .selectFrom('page_versions')
    .select(['site_id', 'page_id', 'version', 'changes', 'saved_by', 'saved_at'])
    .where('site_id', '=', site.id)
    .where('page_id', '=', pageId)
    .orderBy('version', 'desc')
    .execute();
}

export async function findVersion(
  site: SiteDb,
  pageId: string,
  version: number,
): Promise<VersionRow | undefined> {
  return site.db
    .selectFrom('page_versions')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('page_id', '=', pageId)
    .where('version', '=', version)
    .executeTakeFirst();
}

export async function insertVersion(
  site: SiteDb,
  version: Omit<Insertable<TenantTables['page_versions']>, 'site_id'>,
): Promise<void> {
  await site.db
    .insertInto('page_versions')
    .values({ ...version, site_id: site.id })
    .execute();
}

export async function deleteVersionsUpTo(site: SiteDb, pageId: string, version: number): Promise<void> {
  await site.db
    .deleteFrom('page_versions')
    .where('site_id', '=', site.id)
    .where('page_id', '=', pageId)
    .where('version', '<=', version)
    .execute();
}
