import type { CompiledQuery, Insertable, Kysely, Selectable } from 'kysely';
import type { SiteTables, TenantTables } from '#db/tables.ts';
import { advisoryLock, type SiteDb } from '#server/platform/database.ts';

type ImageRow = Selectable<TenantTables['images']>;
export type ImageFacts = Pick<ImageRow, 'id' | 'kind' | 'width' | 'height'>;

/**
 * Serializes adding, using and deleting images of a site until the transaction ends, so that an image in use is not
 * deleted.
 */
export async function lockImages(site: SiteDb): Promise<void> {
  await advisoryLock(site, `images:${site.id}`);
}

export async function findImages(site: SiteDb, ids: readonly string[]): Promise<ImageFacts[]> {
  if (ids.length === 0) return [];
  return site.db
    .selectFrom('images')
    .select(['id', 'kind', 'width', 'height'])
    .where('site_id', '=', site.id)
    .where('id', 'in', ids)
    .execute();
}

export function imageContent(
  db: Kysely<SiteTables>,
  siteId: string,
  id: string,
): CompiledQuery<Pick<ImageRow, 'kind' | 'sha256' | 'bytes'>> {
  return db
    .selectFrom('images')
    .select(['kind', 'sha256', 'bytes'])
    .where('site_id', '=', siteId)
    .where('id', '=', id)
    .compile();
}

export async function countImages(site: SiteDb): Promise<number> {
  const { count } = await site.db
    .selectFrom('images')
    .select((select) => select.fn.countAll<string>().as('count'))
    .where('site_id', '=', site.id)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Storing the same image again refreshes the existing row. */
export async function insertImage(
  site: SiteDb,
  image: Omit<Insertable<TenantTables['images']>, 'site_id'>,
): Promise<ImageFacts> {
  return site.db
    .insertInto('images')
    .values({ ...image, site_id: site.id })
    .onConflict((conflict) =>
      conflict
        .columns(['site_id', 'kind', 'sha256'])
        .doUpdateSet((values) => ({ created_at: values.ref('excluded.created_at') })),
    )
    .returning(['id', 'kind', 'width', 'height'])
    .executeTakeFirstOrThrow();
}

/** The image attrs of the site's pages and drafts. */
export async function imagesInUse(site: SiteDb): Promise<string[]> {
  const pages = await site.db
    .selectFrom('preference_pages')
    .select(['logo', 'favicon'])
    .where('site_id', '=', site.id)
    .execute();
  const drafts = await imagesOfContents(site, 'page_drafts');
  return [...pages.flatMap(({ logo, favicon }) => [logo, favicon]), ...drafts];
}

/** The image attrs of the stored page versions. */
export async function imagesOfVersions(site: SiteDb): Promise<string[]> {
  return imagesOfContents(site, 'page_versions');
}

async function imagesOfContents(site: SiteDb, table: 'page_drafts' | 'page_versions'): Promise<string[]> {
  const { rows } = await site.query(
    `select distinct content ->> 'logo' as logo, content ->> 'favicon' as favicon from ${table} where site_id = $1`,
    [site.id],
  );
  return (rows as { logo: string; favicon: string }[]).flatMap(({ logo, favicon }) => [logo, favicon]);
}

export async function deleteImagesExcept(
  site: SiteDb,
  keptIds: readonly string[],
  olderThan: Date,
): Promise<void> {
  await site.db
    .deleteFrom('images')
    .where('site_id', '=', site.id)
    .where('created_at', '<', olderThan)
    .$if(keptIds.length > 0, (query) => query.where('id', 'not in', keptIds))
    .execute();
}
