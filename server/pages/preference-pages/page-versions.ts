import { KEPT_VERSIONS, type PageContent, type PageVersion } from '#contract/page-drafts.ts';
import { LIST_DEFAULTS } from '#contract/lists.ts';
import type { PreferencePage } from '#contract/preference-pages.ts';
import { colleaguesByIds } from '#server/accounts/accounts/accounts.ts';
import { urlOfSite } from '#server/accounts/sites/sites.ts';
import { presentImageUrl } from '#server/pages/images/images.ts';
import { storeShownTexts } from '#server/pages/shown-texts/shown-texts.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { notFound } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import { changesBetween } from './page-changes.ts';
import * as drafts from './page-drafts.sql.ts';
import { findPage, type PageRow } from './preference-pages.sql.ts';
import { wholeAttrs } from './public-pages.ts';

/** The stored form: images by path, independent of the site's host. */
export function contentOf(page: PageRow, lists: PreferencePage['lists']): PageContent {
  return {
    name: page.name,
    custom_path: page.custom_path,
    allow_customer_create: page.allow_customer_create,
    favicon: page.favicon,
    logo: page.logo,
    active_languages: page.active_languages,
    embed_origins: page.embed_origins,
    attrs: wholeAttrs(page),
    lists: lists.map(({ createId: _, ...list }) => list),
  };
}

/** Stores the current version before it is replaced, if it was published before histories existed. */
export async function savePreviousVersion(
  site: SiteDb,
  page: PageRow,
  lists: PreferencePage['lists'],
): Promise<void> {
  if ((await drafts.findVersion(site, page.id, page.version)) !== undefined) return;
  const content = contentOf(page, lists);
  await storeShownTexts(site, { id: page.id, version: page.version, content }, page.updated_at);
  await drafts.insertVersion(site, {
    page_id: page.id,
    version: page.version,
    content: JSON.stringify(content),
    changes: JSON.stringify([]),
    saved_by: null,
    saved_at: page.updated_at,
  });
}

/** Stores what was just published, and deletes the oldest version. */
export async function saveVersion(
  site: SiteDb,
  page: PageRow,
  lists: PreferencePage['lists'],
  userId: string | null,
): Promise<void> {
  const content = contentOf(page, lists);
  const before = await drafts.findVersion(site, page.id, page.version - 1);
  await drafts.insertVersion(site, {
    page_id: page.id,
    version: page.version,
    content: JSON.stringify(content),
    changes: JSON.stringify(before === undefined ? [] : changesBetween(before.content, content)),
    saved_by: userId,
    saved_at: page.updated_at,
  });
  await storeShownTexts(site, { id: page.id, version: page.version, content }, page.updated_at);
  await drafts.deleteVersionsUpTo(site, page.id, page.version - KEPT_VERSIONS);
}

type Names = Awaited<ReturnType<typeof colleaguesByIds>>;

function present(row: Omit<drafts.VersionRow, 'content'>, names: Names): PageVersion {
  return {
    version: row.version,
    saved_at: row.saved_at.toISOString(),
    saved_by: names.get(row.saved_by ?? '') ?? null,
    changes: row.changes,
  };
}

export async function listPageVersions(
  services: Services,
  siteId: string,
  id: string,
): Promise<PageVersion[]> {
  const rows = await services.database.readSite(siteId, async (site) => {
    if ((await findPage(site, id)) === undefined) throw notFound('This preference page');
    return drafts.versionsOf(site, id);
  });
  const names = await colleaguesByIds(
    services,
    rows.map((row) => row.saved_by),
  );
  return rows.map((row) => present(row, names));
}

export async function getPageVersion(
  services: Services,
  siteId: string,
  id: string,
  version: number,
): Promise<PageVersion & { content: PageContent }> {
  const siteUrl = await urlOfSite(services, siteId);
  const row = await services.database.readSite(siteId, (site) => drafts.findVersion(site, id, version));
  if (row === undefined) throw notFound('This version');
  const { content } = row;
  return {
    ...present(row, await colleaguesByIds(services, [row.saved_by])),
    content: {
      ...content,
      logo: presentImageUrl(siteUrl, content.logo),
      favicon: presentImageUrl(siteUrl, content.favicon),
      // Attrs, and fields of lists, introduced after the version get their defaults.
      attrs: wholeAttrs(content),
      lists: content.lists.map((list) => ({ ...LIST_DEFAULTS, ...list })),
    },
  };
}
