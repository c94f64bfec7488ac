import { type Insertable, type Selectable, sql } from 'kysely';
import type { TenantTables } from '#db/tables.ts';
import type { SiteDb } from '#server/platform/database.ts';

export type ShownTextRow = Selectable<TenantTables['shown_texts']>;

/** Which of these hashes are stored already. @param hashes at least one */
export async function knownHashes(site: SiteDb, hashes: readonly Buffer[]): Promise<Set<string>> {
  const rows = await site.db
    .selectFrom('shown_texts')
    .select('hash')
    .where('site_id', '=', site.id)
    .where('hash', 'in', [...hashes])
    .execute();
  return new Set(rows.map(({ hash }) => hash.toString('hex')));
}

/** Those that are there already stay as they are. @param texts at least one */
export async function insertShownTexts(
  site: SiteDb,
  texts: readonly Omit<Insertable<TenantTables['shown_texts']>, 'site_id'>[],
): Promise<void> {
  await site.db
    .insertInto('shown_texts')
    .values(texts.map((text) => ({ ...text, site_id: site.id })))
    .onConflict((conflict) => conflict.columns(['site_id', 'hash']).doNothing())
    .execute();
}

/** All of the site, oldest first, a few at a time. */
export async function shownTextsAfter(
  site: SiteDb,
  after: { created_at: Date; hash: Buffer } | null,
  limit: number,
): Promise<ShownTextRow[]> {
  let select = site.db
    .selectFrom('shown_texts')
    .selectAll()
    .where('site_id', '=', site.id)
    .orderBy('created_at')
    .orderBy('hash')
    .limit(limit);
  if (after !== null)
    select = select.where(
      sql<boolean>`(created_at, hash) > (${after.created_at}::timestamptz, ${after.hash}::bytea)`,
    );
  return select.execute();
}

/** Of one version of a page, oldest first. */
export async function textsOfPage(site: SiteDb, pageId: string, version: number): Promise<ShownTextRow[]> {
  return site.db
    .selectFrom('shown_texts')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('page_id', '=', pageId)
    .where('version', '=', version)
    .orderBy('created_at')
    .execute();
}

/** @param hashes at least one */
export async function textsByHash(site: SiteDb, hashes: readonly Buffer[]): Promise<ShownTextRow[]> {
  return site.db
    .selectFrom('shown_texts')
    .selectAll()
    .where('site_id', '=', site.id)
    .where('hash', 'in', [...hashes])
    .execute();
}

/** The versions of pages that are shown now, and older ones whose texts are not stored, in slices. */
export async function versionsAfter(
  site: SiteDb,
  after: { page_id: string; version: number } | null,
  limit: number,
): Promise<Pick<Selectable<TenantTables['page_versions']>, 'page_id' | 'version' | 'content'>[]> {
  let select = site.db
    .selectFrom('page_versions')
    .select(['page_id', 'version', 'content'])
    .where('site_id', '=', site.id)
    .where(
      sql<boolean>`(exists (select from preference_pages page where page.site_id = ${site.id}
          and page.site_id = page_versions.site_id and page.id = page_versions.page_id
          and page.version = page_versions.version)
        or not exists (select from shown_texts text where text.site_id = ${site.id}
          and text.site_id = page_versions.site_id and text.page_id = page_versions.page_id
          and text.version = page_versions.version))`,
    )
    .orderBy('page_id')
    .orderBy('version')
    .limit(limit);
  if (after !== null)
    select = select.where(sql<boolean>`(page_id, version) > (${after.page_id}::uuid, ${after.version}::int)`);
  return select.execute();
}
