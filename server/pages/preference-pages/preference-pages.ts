import { isDeepStrictEqual } from 'node:util';
import { LIST_DEFAULTS, listFieldsIn } from '#contract/lists.ts';
import type { Override } from '#contract/page-checks.ts';
import {
  type ListedPreferencePage,
  MAX_LISTS_OF_PAGE,
  type PageListInput,
  type PreferencePage,
  type PreferencePageFields,
  RESERVED_PATHS,
} from '#contract/preference-pages.ts';
import { recordChange } from '#server/accounts/audit-log/audit-log.ts';
import { changeSite } from '#server/accounts/sites/change-site.ts';
import { urlOfSite } from '#server/accounts/sites/sites.ts';
import {
  addLists,
  allLists,
  editList,
  isAsSaid,
  type ListRow,
  lockLists,
  presentShownList,
  refuseUnconfirmedDefault,
} from '#server/audience/lists/lists.ts';
import { storeImage, presentImageUrl, readImageInput } from '#server/pages/images/images.ts';
import { isForeignKeyViolation, isUniqueViolation } from '#server/platform/database-errors.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import { newId } from '#server/platform/ids.ts';
import type { Services } from '#server/platform/services.ts';
import { warnWithoutMailServer } from '#server/platform/email-warning.ts';
import { requireChecks } from './page-checks.ts';
import { deleteDraft, savedDrafts } from './page-drafts.sql.ts';
import { requireUnchanged, withCurrentDraft } from './page-drafts.ts';
import { contentOf, saveVersion, savePreviousVersion } from './page-versions.ts';
import * as statements from './preference-pages.sql.ts';
import { wholeAttrs } from './public-pages.ts';
import type { PageRow } from './preference-pages.sql.ts';

const MAX_PAGES_OF_SITE = 100;

type PageList = PreferencePage['lists'][number];

/** `show_order`: the list's position on this page. */
function presentPageLists(lists: readonly ListRow[], createIds?: ReadonlyMap<string, string>): PageList[] {
  return lists.map((list, position) => {
    const createId = createIds?.get(list.id);
    return {
      ...presentShownList(list),
      show_order: position,
      ...(createId === undefined ? {} : { createId }),
    };
  });
}

function presentPage(
  { config }: Pick<Services, 'config'>,
  siteUrl: string,
  page: PageRow,
  lists: PageList[],
): PreferencePage {
  const attrs = wholeAttrs(page);
  return {
    id: page.id,
    name: page.name,
    url: `${siteUrl}/${page.custom_path}`,
    custom_path: page.custom_path,
    allow_customer_create: page.allow_customer_create,
    favicon: presentImageUrl(siteUrl, page.favicon),
    logo: presentImageUrl(siteUrl, page.logo),
    active_languages: page.active_languages,
    embed_origins: page.embed_origins,
    attrs,
    lists,
    version: page.version,
    updated_at: page.updated_at.toISOString(),
    warnings: [
      ...(attrs.enhanced_security
        ? warnWithoutMailServer(
            config,
            'attrs.enhanced_security',
            "customers won't get the link that opens the page",
          )
        : []),
      ...(attrs.confirm_changes
        ? warnWithoutMailServer(config, 'attrs.confirm_changes', "customers can't confirm a change")
        : []),
      ...(lists.some((list) => list.double_opt_in)
        ? warnWithoutMailServer(
            config,
            'lists',
            "customers can't confirm that they subscribe to a list with double opt-in",
          )
        : []),
    ],
  };
}

export async function listPages(services: Services, siteId: string): Promise<ListedPreferencePage[]> {
  const siteUrl = await urlOfSite(services, siteId);
  return services.database.readSite(siteId, async (site) => {
    const pages = await statements.allPages(site);
    const lists = await statements.listsOfPages(
      site,
      pages.map((page) => page.id),
    );
    const drafts = await savedDrafts(site);
    return pages.map((page) => ({
      ...presentPage(
        services,
        siteUrl,
        page,
        presentPageLists(lists.filter((list) => list.page_id === page.id)),
      ),
      draft_saved_at: drafts.get(page.id)?.toISOString() ?? null,
    }));
  });
}

export async function getPage(services: Services, siteId: string, id: string): Promise<PreferencePage> {
  const siteUrl = await urlOfSite(services, siteId);
  return services.database.readSite(siteId, async (site) => {
    const page = await statements.findPage(site, id);
    if (page === undefined) throw notFound('This preference page');
    return presentPage(services, siteUrl, page, presentPageLists(await statements.listsOfPages(site, [id])));
  });
}

/** @throws AppError `reserved_name`: the path would shadow a path of the product */
function requireFreePath(customPath: string): void {
  if (!(RESERVED_PATHS as readonly string[]).includes(customPath)) return;
  throw new AppError(
    'reserved_name',
    `custom_path: Sayso uses /${customPath} for its own pages. Choose another path.`,
    {
      field: 'custom_path',
    },
  );
}

function refuseTwice(lists: readonly PageListInput[]): void {
  const marks = lists.map((list) => ('id' in list ? list.id : `new:${list.createId}`));
  const twice = marks.findIndex((mark, index) => marks.indexOf(mark) !== index);
  if (twice < 0) return;
  throw new AppError('invalid_field', `lists.${twice}: is on the page twice. Send each list once.`, {
    field: `lists.${twice}`,
  });
}

/** Saves the form's changes to the lists themselves. @returns their ids in the page's order */
async function saveLists(
  services: Services,
  site: SiteDb,
  now: Date,
  lists: readonly PageListInput[],
): Promise<{ ids: string[]; createIds: Map<string, string> }> {
  refuseTwice(lists);
  const known = new Map((await allLists(site)).map((row) => [row.id, presentShownList(row)]));
  for (const [index, list] of lists.entries()) {
    const before = 'id' in list ? known.get(list.id) : undefined;
    refuseUnconfirmedDefault({ ...LIST_DEFAULTS, ...before, ...listFieldsIn(list) }, `lists.${index}.`);
  }
  const added = await addLists(
    site,
    now,
    lists.filter((list) => 'createId' in list),
  );
  for (const row of added) await recordChange(services, site, 'list.created', row);
  const createIds = new Map<string, string>();
  const ids: string[] = [];
  for (const list of lists) {
    if ('createId' in list) {
      const row = added[createIds.size];
      if (row === undefined) throw new Error('Every new list was added');
      createIds.set(row.id, list.createId);
      ids.push(row.id);
      continue;
    }
    const { id, show_order: _, ...changes } = list;
    const before = known.get(id);
    if (before === undefined || !isAsSaid(before, changes)) {
      await recordChange(services, site, 'list.changed', await editList(site, now, id, changes));
    }
    ids.push(id);
  }
  return { ids, createIds };
}

type PageImages = Pick<PageRow, 'logo' | 'favicon'>;

function columnsOf(input: PreferencePageFields, { logo, favicon }: PageImages) {
  return {
    name: input.name,
    custom_path: input.custom_path,
    allow_customer_create: input.allow_customer_create,
    favicon,
    logo,
    active_languages: [...new Set([input.attrs.language, ...input.active_languages])],
    embed_origins: input.embed_origins,
    attrs: JSON.stringify(input.attrs),
  };
}

interface SavedPage {
  page: PageRow;
  lists: PageList[];
}

async function savePage(
  services: Services,
  siteId: string,
  input: PreferencePageFields,
  write: (site: SiteDb, now: Date, images: PageImages) => Promise<SavedPage>,
): Promise<PreferencePage> {
  requireFreePath(input.custom_path);
  const siteUrl = await urlOfSite(services, siteId);
  const logo = await readImageInput(services, siteId, 'logo', input.logo);
  const favicon = await readImageInput(services, siteId, 'favicon', input.favicon);
  try {
    return await changeSite(services, siteId, async (site) => {
      await lockLists(site);
      const now = services.clock.now();
      const images = {
        logo: await storeImage(site, now, 'logo', logo),
        favicon: await storeImage(site, now, 'favicon', favicon),
      };
      const { page, lists } = await write(site, now, images);
      return presentPage(services, siteUrl, page, lists);
    });
  } catch (error) {
    if (isUniqueViolation(error)) {
      throw new AppError(
        'path_taken',
        `custom_path: another page of this site uses /${input.custom_path}. Choose another path.`,
        {
          field: 'custom_path',
        },
      );
    }
    if (isForeignKeyViolation(error)) throw notFound('One of the lists');
    throw error;
  }
}

/**
 * Puts a page's lists on it, and publishes this as its version.
 * @param userId the publisher; null: none that the history could name
 */
async function saveListsOf(
  services: Services,
  site: SiteDb,
  now: Date,
  page: PageRow,
  userId: string | null,
  input: PreferencePageFields,
): Promise<PageList[]> {
  const { ids, createIds } = await saveLists(services, site, now, input.lists);
  return publishLists(site, page, userId, ids, createIds);
}

async function publishLists(
  site: SiteDb,
  page: PageRow,
  userId: string | null,
  ids: readonly string[],
  createIds?: ReadonlyMap<string, string>,
): Promise<PageList[]> {
  await statements.setPageLists(site, page.id, ids);
  const lists = presentPageLists(await statements.listsOfPages(site, [page.id]), createIds);
  await saveVersion(site, page, lists, userId);
  return lists;
}

/** @throws AppError `checks_failed` without an override, and those of saving a page */
export async function createPage(
  services: Services,
  siteId: string,
  userId: string | null,
  input: PreferencePageFields & { override?: Override | undefined },
): Promise<PreferencePage> {
  return savePage(services, siteId, input, (site, now, images) =>
    requireChecks(services, site, input.override, async () => {
      const page = await insertNewPage(services, site, now, input, images);
      return { page, lists: await saveListsOf(services, site, now, page, userId, input) };
    }),
  );
}

async function insertNewPage(
  services: Services,
  site: SiteDb,
  now: Date,
  input: PreferencePageFields,
  images: PageImages,
): Promise<PageRow> {
  const pages = await statements.allPages(site);
  if (pages.length >= MAX_PAGES_OF_SITE) {
    throw new AppError('limit_reached', `A site can have up to ${MAX_PAGES_OF_SITE} preference pages.`);
  }
  const page = await statements.insertPage(site, {
    ...columnsOf(input, images),
    id: newId(),
    version: 1,
    created_at: now,
    updated_at: now,
  });
  await recordChange(services, site, 'page.created', page);
  return page;
}

/**
 * Adds a site's first page, without images, inside the transaction of a caller who holds `lockLists`.
 * @throws AppError `checks_failed` without an override
 */
export async function addFirstPage(
  services: Services,
  site: SiteDb,
  userId: string | null,
  input: PreferencePageFields & { override?: Override | undefined },
): Promise<{ id: string }> {
  requireFreePath(input.custom_path);
  return requireChecks(services, site, input.override, async () => {
    const now = services.clock.now();
    const page = await insertNewPage(services, site, now, input, { logo: '', favicon: '' });
    await saveListsOf(services, site, now, page, userId, input);
    return page;
  });
}

/**
 * Publishes pages with more lists below their own, inside the transaction of a caller who holds `lockLists`. Their drafts
 * stay, and the editors are told about the new version.
 * @returns the pages that are still there
 * @throws AppError `limit_reached`; `checks_failed` without an override
 */
export async function addListsToPages(
  services: Services,
  site: SiteDb,
  userId: string | null,
  {
    ids,
    listIds,
    override,
  }: { ids: readonly string[]; listIds: readonly string[]; override?: Override | undefined },
): Promise<PageRow[]> {
  return requireChecks(services, site, override, async () => {
    const changed: PageRow[] = [];
    for (const id of ids) {
      const page = await addListsToPage(services, site, userId, id, listIds);
      if (page !== null) changed.push(page);
    }
    return changed;
  });
}

async function addListsToPage(
  services: Services,
  site: SiteDb,
  userId: string | null,
  id: string,
  listIds: readonly string[],
): Promise<PageRow | null> {
  const page = await statements.lockPage(site, id);
  if (page === undefined) return null;
  const lists = presentPageLists(await statements.listsOfPages(site, [id]));
  const ids = [...new Set([...lists.map((list) => list.id), ...listIds])];
  if (ids.length > MAX_LISTS_OF_PAGE) {
    throw new AppError(
      'limit_reached',
      `The page "${page.name}" can show up to ${MAX_LISTS_OF_PAGE} lists. Create fewer lists, or leave the page as it is.`,
    );
  }
  await recordChange(services, site, 'page.changed', page);
  await savePreviousVersion(site, page, lists);
  const changed = await statements.updatePage(site, id, {
    version: page.version + 1,
    updated_at: services.clock.now(),
  });
  await publishLists(site, changed, userId, ids);
  return changed;
}

/** The site's pages, with how many lists each shows. */
export async function pagesWithListCounts(
  site: SiteDb,
): Promise<{ id: string; name: string; lists: number }[]> {
  const pages = await statements.allPages(site);
  const lists = await statements.listsOfPages(
    site,
    pages.map(({ id }) => id),
  );
  return pages.map(({ id, name }) => ({
    id,
    name,
    lists: lists.filter(({ page_id }) => page_id === id).length,
  }));
}

/** Whether the page already is as the input says. */
function isPageAsSaid(page: PageRow, lists: PageList[], input: PreferencePageFields, images: PageImages) {
  const after = input.lists.map((said, position): PageList | undefined => {
    const list = 'id' in said ? lists.find(({ id }) => id === said.id) : undefined;
    return list && { ...list, ...listFieldsIn(said), show_order: position };
  });
  if (!after.every((list) => list !== undefined)) return false;
  const row = { ...page, ...columnsOf(input, images), attrs: input.attrs };
  return isDeepStrictEqual(contentOf(page, lists), contentOf(row, after));
}

/**
 * Publishes the page, and deletes the draft named by its revision. Without a change there is no version and no entry in
 * the audit log.
 * @throws AppError `conflict` if `version` or `draft_revision` is given and outdated; `checks_failed` without an override
 */
export async function replacePage(
  services: Services,
  siteId: string,
  userId: string | null,
  id: string,
  input: PreferencePageFields & {
    version?: number | undefined;
    draft_revision?: number | null | undefined;
    override?: Override | undefined;
  },
): Promise<PreferencePage> {
  const write = async (site: SiteDb, now: Date, images: PageImages) => {
    const page = await statements.lockPage(site, id);
    if (page === undefined) throw notFound('This preference page');
    await requireUnchanged(site, page, { version: input.version, revision: input.draft_revision });
    if (input.draft_revision !== undefined) await deleteDraft(site, id);
    const lists = presentPageLists(await statements.listsOfPages(site, [id]));
    if (isPageAsSaid(page, lists, input, images)) return { page, lists };
    return requireChecks(services, site, input.override, async () => {
      await recordChange(services, site, 'page.changed', { id, name: input.name });
      await savePreviousVersion(site, page, lists);
      const changed = await statements.updatePage(site, id, {
        ...columnsOf(input, images),
        version: page.version + 1,
        updated_at: now,
      });
      return { page: changed, lists: await saveListsOf(services, site, now, changed, userId, input) };
    });
  };
  return withCurrentDraft(services, () => savePage(services, siteId, input, write));
}

export async function removePage(services: Services, siteId: string, id: string): Promise<void> {
  await changeSite(services, siteId, async (site) => {
    const page = await statements.findPage(site, id);
    if (page === undefined || !(await statements.deletePage(site, id))) {
      throw notFound('This preference page');
    }
    await recordChange(services, site, 'page.deleted', page);
  });
}
