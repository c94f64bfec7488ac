import type { DraftConflict, DraftContent, PageContent, PageDraft } from '#contract/page-drafts.ts';
import { pageAttrs } from '#contract/preference-pages.ts';
import { colleaguesByIds } from '#server/accounts/accounts/accounts.ts';
import { allLists, type ListRow, presentShownList } from '#server/audience/lists/lists.ts';
import type { SiteDb } from '#server/platform/database.ts';
import { AppError, notFound } from '#server/platform/errors.ts';
import type { Services } from '#server/platform/services.ts';
import * as drafts from './page-drafts.sql.ts';
import { findPage, lockPage, type PageRow } from './preference-pages.sql.ts';

type Standing = Omit<PageDraft, 'content'>;

async function standingOf(services: Services, draft: drafts.DraftRow): Promise<Standing> {
  const names = await colleaguesByIds(services, [draft.saved_by]);
  return {
    base_version: draft.base_version,
    revision: draft.revision,
    editor_id: draft.editor_id,
    saved_by: names.get(draft.saved_by) ?? null,
    saved_at: draft.saved_at.toISOString(),
  };
}

/** The draft with the texts of its lists: the current ones, unless the draft overrides them. */
async function presentDraft(
  services: Services,
  lists: readonly ListRow[],
  draft: drafts.DraftRow,
): Promise<PageDraft> {
  const { content } = draft;
  const whole = content.lists.flatMap((list): PageContent['lists'] => {
    if ('createId' in list) return [{ ...list, show_order: 0 }];
    const row = lists.find(({ id }) => id === list.id);
    if (row === undefined) return [];
    const said = Object.fromEntries(Object.entries(list).filter(([, value]) => value !== undefined));
    return [{ ...presentShownList(row), ...said }];
  });
  return {
    ...(await standingOf(services, draft)),
    content: {
      ...content,
      attrs: { ...pageAttrs.parse({}), ...content.attrs },
      lists: whole.map((list, position) => ({ ...list, show_order: position })),
    },
  };
}

/** @returns null if there is none */
export async function getDraft(services: Services, siteId: string, id: string): Promise<PageDraft | null> {
  const found = await services.database.readSite(siteId, async (site) => {
    if ((await findPage(site, id)) === undefined) throw notFound('This preference page');
    const draft = await drafts.findDraft(site, id);
    return draft === undefined ? null : { draft, lists: await allLists(site) };
  });
  return found === null ? null : presentDraft(services, found.lists, found.draft);
}

/** The current state, for a conflict response. */
class DraftChanged extends Error {
  readonly found: { page: PageRow; publishedBy: string | null; draft: drafts.DraftRow | null };

  constructor(found: DraftChanged['found']) {
    super('The page or its draft was changed meanwhile');
    this.found = found;
  }
}

/**
 * Guards against lost updates. For use inside `withCurrentDraft`.
 * @param known the state that the caller expects; undefined parts are not compared
 */
export async function requireUnchanged(
  site: SiteDb,
  page: PageRow,
  known: { version?: number | undefined; revision?: number | null | undefined },
): Promise<drafts.DraftRow | null> {
  const draft = (await drafts.findDraft(site, page.id)) ?? null;
  const isVersion = known.version === undefined || known.version === page.version;
  const isDraft = known.revision === undefined || known.revision === (draft?.revision ?? null);
  if (isVersion && isDraft) return draft;
  const published = await drafts.findVersion(site, page.id, page.version);
  throw new DraftChanged({ page, publishedBy: published?.saved_by ?? null, draft });
}

/** @throws AppError `conflict` with the current state and its author, if `work` expected another one */
export async function withCurrentDraft<T>(services: Services, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DraftChanged)) throw error;
    const { page, publishedBy, draft } = error.found;
    const names = await colleaguesByIds(services, [publishedBy]);
    const data: DraftConflict = {
      version: page.version,
      published_by: names.get(publishedBy ?? '') ?? null,
      draft: draft === null ? null : await standingOf(services, draft),
    };
    throw new AppError(
      'conflict',
      'Someone else saved this page in the meantime. Load it again, or overwrite their changes with the version and draft revision in `data`.',
      { field: 'version', data },
    );
  }
}

export async function saveDraft(
  services: Services,
  siteId: string,
  userId: string,
  id: string,
  input: {
    content: DraftContent;
    base_version: number;
    revision: number | null;
    editor_id?: string | undefined;
  },
): Promise<PageDraft> {
  const save = async (site: SiteDb) => {
    const page = await lockPage(site, id);
    if (page === undefined) throw notFound('This preference page');
    const before = await requireUnchanged(site, page, {
      version: input.base_version,
      revision: input.revision,
    });
    const now = services.clock.now();
    const saved = {
      content: JSON.stringify(input.content),
      base_version: input.base_version,
      revision: (before?.revision ?? 0) + 1,
      saved_by: userId,
      saved_at: now,
      editor_id: input.editor_id ?? null,
    };
    const row =
      before === null
        ? await drafts.insertDraft(site, { ...saved, page_id: id, created_at: now })
        : await drafts.updateDraft(site, id, saved);
    return { draft: row, lists: await allLists(site) };
  };
  const { draft, lists } = await withCurrentDraft(services, () => services.database.inSite(siteId, save));
  return presentDraft(services, lists, draft);
}

/** Visitors never saw the draft, so nothing changes for them. */
export async function discardDraft(
  services: Services,
  siteId: string,
  id: string,
  revision: number,
): Promise<void> {
  const discard = async (site: SiteDb) => {
    const page = await lockPage(site, id);
    if (page === undefined) throw notFound('This preference page');
    await requireUnchanged(site, page, { revision });
    await drafts.deleteDraft(site, id);
  };
  await withCurrentDraft(services, () => services.database.inSite(siteId, discard));
}
