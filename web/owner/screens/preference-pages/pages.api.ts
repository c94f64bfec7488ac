import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import {
  createPreferencePage,
  deletePreferencePage,
  getPreferencePage,
  listPreferencePages,
  type PreferencePage,
  type PreferencePageFields,
  replacePreferencePage,
} from '#contract/preference-pages.ts';
import { type List, listLists } from '#contract/lists.ts';
import {
  discardPageDraft,
  getPageDraft,
  getPageVersion,
  listPageVersions,
  type PageDraft,
  savePageDraft,
} from '#contract/page-drafts.ts';
import { type ImageKind, type KeptImage, uploadImage } from '#contract/images.ts';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import type { PrefetchTarget } from '../../prefetch/prefetch.ts';
import { useSite } from '../../site/current-site.tsx';
import { anyIntegrationKey } from '../../queries/integration-queries.ts';
import { listsQuery } from '../../queries/list-queries.ts';
import { type SiteParams } from '../../site/site-params.ts';
import type { DraftParts } from './draft-sync.ts';
import { draftContentOf, type FormList } from './pages.logic.ts';

export function pagesQuery({ organization_id, site_id }: SiteParams) {
  return queryOptions({
    queryKey: ['site', site_id, 'preference-pages'],
    queryFn: async ({ signal }) => {
      const { results } = await call(
        listPreferencePages,
        { params: { organization_id, site_id } },
        { signal },
      );
      return results;
    },
  });
}

export function prefetchPages({ site }: PrefetchTarget): void {
  void queryClient.prefetchQuery(pagesQuery(site));
}

const ALWAYS_FETCH = {
  staleTime: 0,
  gcTime: 0,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
} as const;

/** Everything the editor opens with. */
export interface EditedPage {
  page: PreferencePage;
  draft: PageDraft | null;
  /** All of the site. */
  lists: List[];
}

/** Fetched each time the editor opens, because publishing replaces the page as a whole. */
export function editedPageQuery({ organization_id, site_id }: SiteParams, id: string) {
  const params = { organization_id, site_id };
  return queryOptions({
    queryKey: ['site', site_id, 'preference-page', id, 'edited'],
    queryFn: async ({ signal }): Promise<EditedPage> => {
      const [page, { draft }, { results }] = await Promise.all([
        call(getPreferencePage, { params: { ...params, id } }, { signal }),
        call(getPageDraft, { params: { ...params, id } }, { signal }),
        call(listLists, { params }, { signal }),
      ]);
      return { page, draft, lists: results };
    },
    ...ALWAYS_FETCH,
  });
}

/** The path says which site the page belongs to; it may not be the current one. */
export function prefetchEditedPage({ site, pathname }: PrefetchTarget): void {
  const [, , site_id = '', id = ''] = pathname.split('/');
  void queryClient.prefetchQuery(editedPageQuery({ ...site, site_id }, id));
}

export function versionsQuery({ organization_id, site_id }: SiteParams, id: string) {
  return queryOptions({
    queryKey: ['site', site_id, 'preference-page', id, 'versions'],
    queryFn: async ({ signal }) => {
      const params = { organization_id, site_id, id };
      return (await call(listPageVersions, { params }, { signal })).results;
    },
    staleTime: 0,
  });
}

/** A published version never changes. */
export function versionQuery({ organization_id, site_id }: SiteParams, id: string, version: number) {
  return queryOptions({
    queryKey: ['site', site_id, 'preference-page', id, 'version', version],
    queryFn: ({ signal }) =>
      call(getPageVersion, { params: { organization_id, site_id, id, version } }, { signal }),
    staleTime: Infinity,
  });
}

/** Saves and discards a page's draft on the server. */
export function draftOnServer(
  { organization_id, site_id }: SiteParams,
  id: string,
  known: () => readonly FormList[],
): DraftParts['server'] {
  const params = { organization_id, site_id, id };
  // The page's card shows whether there is a draft.
  const draftChanged = () =>
    void queryClient.invalidateQueries({ queryKey: pagesQuery({ organization_id, site_id }).queryKey });
  return {
    async save(form, { version, revision, editorId }) {
      const draft = await call(savePageDraft, {
        params,
        body: {
          content: draftContentOf(form, known()),
          base_version: version,
          revision,
          editor_id: editorId,
        },
      });
      draftChanged();
      return draft;
    },
    async discard(revision) {
      await call(discardPageDraft, { params, query: { revision } });
      draftChanged();
    },
  };
}

/** The links of a tool, and what is proposed for it, follow the pages. */
function refreshIntegrations({ site_id }: SiteParams): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: anyIntegrationKey(site_id) });
}

export function usePages() {
  return useQuery(pagesQuery(useSite()));
}

interface PageToSave {
  fields: PreferencePageFields;
  /** The version to replace; null for a new page. */
  version: number | null;
  /** The draft that publishing ends; null if there is none. */
  revision: number | null;
  /** Why it is published although checks fail. */
  override?: { reason: string } | undefined;
}

/** Creates a page (`id` undefined) or replaces one with all its lists. */
export function useSavePage({ organization_id, site_id }: SiteParams, id: string | undefined) {
  const site = { organization_id, site_id };
  return useMutation({
    mutationFn: ({ fields: written, version, revision, override }: PageToSave): Promise<PreferencePage> => {
      const fields = { ...written, ...(override === undefined ? {} : { override }) };
      return id === undefined
        ? call(createPreferencePage, { params: site, body: fields })
        : call(replacePreferencePage, {
            params: { ...site, id },
            body: { ...fields, ...(version === null ? {} : { version }), draft_revision: revision },
          });
    },
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: pagesQuery(site).queryKey }),
        queryClient.invalidateQueries({ queryKey: listsQuery(site).queryKey }),
        refreshIntegrations(site),
        id !== undefined && queryClient.invalidateQueries({ queryKey: versionsQuery(site, id).queryKey }),
      ]),
  });
}

export async function deletePage({ organization_id, site_id }: SiteParams, id: string): Promise<void> {
  const site = { organization_id, site_id };
  await call(deletePreferencePage, { params: { ...site, id } });
  const { queryKey } = pagesQuery(site);
  queryClient.setQueryData(queryKey, (pages) => pages?.filter((page) => page.id !== id));
  await Promise.all([queryClient.invalidateQueries({ queryKey }), refreshIntegrations(site)]);
}

export function uploadImageFile(
  { organization_id, site_id }: SiteParams,
  kind: ImageKind,
  file: File,
): Promise<KeptImage> {
  return call(uploadImage, { params: { organization_id, site_id }, query: { kind }, file });
}
