import type { Language } from '#contract/fields.ts';
import { type PageAttrs, pageAttrs, type PublicPage } from '#contract/preference-pages.ts';
import type { CustomerSession } from '#server/accounts/access/customer-session-token.ts';
import { siteTag } from '#server/accounts/sites/change-site.ts';
import { isTakenDown, operatorOf } from '#server/accounts/sites/sites.ts';
import type { Visit } from '#server/audience/evidence/visit.ts';
import { allLists, presentShownList } from '#server/audience/lists/lists.ts';
import { imagesOf, shownImage } from '#server/pages/images/images.ts';
import { noteNeutralText, noteShownText } from '#server/pages/shown-texts/shown-texts.ts';
import { notFound } from '#server/platform/errors.ts';
import { NEUTRAL_PAGE } from '#web/page/view.ts';
import type { Services } from '#server/platform/services.ts';
import { allPages, findPublished, listsOfPages, type PageRow } from './preference-pages.sql.ts';

/** A page as visitors get it, with server-side details. */
export interface ServedPage {
  id: string;
  customPath: string;
  /** null: the page is gone. */
  version: number | null;
  /** Of the text that it shows, which records name; null: it was published before versions were stored. */
  textHash: string | null;
  allowCustomerCreate: boolean;
  /** The origins that may frame it; not sent to visitors. */
  embedOrigins: readonly string[];
  page: PublicPage;
}

/** The page's attrs, with defaults for those introduced after the page. */
export function wholeAttrs(page: Pick<PageRow, 'attrs'>): PageAttrs {
  return pageAttrs.parse(page.attrs);
}

async function serve(
  services: Services,
  siteId: string,
  find: 'custom_path' | 'id',
  value: string,
): Promise<ServedPage | null> {
  // Before the transaction: they may need a connection, and waiting for one while holding another could deadlock.
  if (await isTakenDown(services, siteId)) return null;
  const operator = await operatorOf(services, siteId);
  return services.database.readSite(siteId, async (site) => {
    const row = await findPublished(site, find, value);
    if (row === undefined) return null;
    const { id, version, content } = row;
    const lists = await listsOfPages(site, [row.id]);
    const images = await imagesOf(site, [row.logo, row.favicon]);
    const logo = shownImage(images, row.logo);
    return {
      id,
      customPath: row.custom_path,
      version,
      textHash: content === null ? null : noteShownText(services, siteId, { id, version, content }),
      allowCustomerCreate: row.allow_customer_create,
      embedOrigins: row.embed_origins,
      page: {
        name: row.name,
        logo: logo?.path ?? '',
        logo_size: logo?.size ?? null,
        favicon: shownImage(images, row.favicon)?.path ?? '',
        lists: lists.map((list, position) => ({ ...presentShownList(list), show_order: position })),
        attrs: wholeAttrs(row),
        languages: { default: row.attrs.language, active_languages: row.active_languages },
        operator,
      },
    };
  });
}

/** null: the site has no page with this path. */
async function findPageByPath(
  services: Services,
  siteId: string,
  customPath: string,
): Promise<ServedPage | null> {
  const path = customPath.toLowerCase();
  return services.cache.get(siteTag(siteId), `page-path:${path}`, () =>
    serve(services, siteId, 'custom_path', path),
  );
}

/** @throws AppError `not_found` */
export async function requirePageByPath(
  services: Services,
  siteId: string,
  customPath: string,
): Promise<ServedPage> {
  const page = await findPageByPath(services, siteId, customPath);
  if (page === null) throw notFound('This page');
  return page;
}

/** null: there is no such page (any more). */
export async function findPageById(
  services: Services,
  siteId: string,
  id: string,
): Promise<ServedPage | null> {
  return services.cache.get(siteTag(siteId), `page-id:${id}`, () => serve(services, siteId, 'id', id));
}

/** @throws AppError `not_found` */
export async function requirePageById(services: Services, siteId: string, id: string): Promise<ServedPage> {
  const page = await findPageById(services, siteId, id);
  if (page === null) throw notFound('This page');
  return page;
}

/**
 * @param openedId the page that was opened with this path, which may have another one by now
 * @throws AppError `not_found`
 */
export async function requirePageByPathOrId(
  services: Services,
  siteId: string,
  customPath: string,
  openedId: string | undefined,
): Promise<ServedPage> {
  const byPath = await findPageByPath(services, siteId, customPath);
  if (byPath !== null) return byPath;
  if (openedId === undefined) throw notFound('This page');
  return requirePageById(services, siteId, openedId);
}

/**
 * The page of a personal link, which goes on working while the site's pages are taken down.
 * @param openedId as with `requirePageByPathOrId`
 * @throws AppError `not_found`
 */
export async function requireLinkedPage(
  services: Services,
  siteId: string,
  customPath: string,
  openedId?: string,
): Promise<Pick<ServedPage, 'id' | 'customPath'>> {
  const find = (column: 'custom_path' | 'id', value: string) =>
    services.cache.get(siteTag(siteId), `linked-${column}:${value}`, async () => {
      const row = await services.database.readSite(siteId, (site) => findPublished(site, column, value));
      return row === undefined ? null : { id: row.id, customPath: row.custom_path };
    });
  const byPath = await find('custom_path', customPath.toLowerCase());
  const page = byPath ?? (openedId === undefined ? null : await find('id', openedId));
  if (page === null) throw notFound('This page');
  return page;
}

/** The site's oldest page, the target of links that name none. */
export async function findFirstPagePath(services: Services, siteId: string): Promise<string | null> {
  return services.cache.get(siteTag(siteId), 'first-page', async () => {
    const pages = await services.database.readSite(siteId, allPages);
    return pages[0]?.custom_path ?? null;
  });
}

/** The page that a mail was about, or else the site's oldest; null if it has none. */
export async function findPageForLinks(
  services: Services,
  siteId: string,
  id: string | null,
): Promise<ServedPage | null> {
  const named = id === null ? null : await findPageById(services, siteId, id);
  if (named !== null) return named;
  const path = await findFirstPagePath(services, siteId);
  return path === null ? null : findPageByPath(services, siteId, path);
}

/** The hash of what the pages behind links say while the site has no preference page. */
export async function neutralTextHash(services: Services, siteId: string): Promise<string> {
  return services.cache.get(siteTag(siteId), 'neutral-text', () =>
    Promise.resolve(noteNeutralText(services, siteId)),
  );
}

/** Name and description of a page's list in a language: the translation if exactly one matches (spec section 4). */
export function listText(
  list: PublicPage['lists'][number],
  language: Language,
): { name: string; description: string } {
  const matching = list.translations.filter((translation) => translation.language === language);
  const [only] = matching;
  return matching.length === 1 && only !== undefined
    ? only
    : { name: list.name, description: list.description };
}

/** Session tokens of an open page become invalid once the page asks for proof. */
export function meetsProofRequired(served: ServedPage, { level }: Pick<CustomerSession, 'level'>): boolean {
  return level !== 'open' || !served.page.attrs.enhanced_security;
}

/** The page that somebody opened, as far as it still is for them. */
export interface OpenedPage {
  served: ServedPage;
  /** It is gone, or asks for more proof by now, so that it only lowers consent. */
  isClosed: boolean;
}

/**
 * @param listIds the lists that the page showed, as far as that is known; one that is gone offers those that exist
 */
export async function findOpenedPage(
  services: Services,
  siteId: string,
  session: Pick<CustomerSession, 'pageId' | 'level'>,
  listIds: readonly string[] = [],
  customPath = '',
): Promise<OpenedPage> {
  const served = await findPageById(services, siteId, session.pageId);
  if (served !== null) return { served, isClosed: !meetsProofRequired(served, session) };
  const brand = await findPageForLinks(services, siteId, null);
  const lists = await services.database.readSite(siteId, allLists);
  const page = {
    ...(brand?.page ?? NEUTRAL_PAGE),
    lists: lists
      .filter(({ id }) => listIds.includes(id))
      .map((list, position) => ({ ...presentShownList(list), show_order: position })),
  };
  return {
    served: {
      id: session.pageId,
      customPath,
      version: null,
      textHash: null,
      allowCustomerCreate: false,
      embedOrigins: [],
      page: { ...page, attrs: { ...page.attrs, confirm_changes: false, enhanced_security: false } },
    },
    isClosed: true,
  };
}

/** The page through which the customer was opened. @throws AppError `not_found` */
export async function requireOpenedPage(
  services: Services,
  visit: Visit,
  session: CustomerSession,
): Promise<ServedPage> {
  const served = await requirePageById(services, visit.siteId, session.pageId);
  if (!meetsProofRequired(served, session)) throw notFound('This customer');
  return served;
}
