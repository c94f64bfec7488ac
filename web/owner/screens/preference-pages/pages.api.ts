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
import { type ImageKind, type KeptImage, uploadImage } from '#contract/images.ts';
import { call } from '../../api.ts';
import { queryClient } from '../../query.ts';
import { useSite } from '../../site.tsx';
import { listsQuery, type SiteParams } from '../lists/lists.api.ts';

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

/** One page, read anew each time that the editor opens: it is about to be replaced as a whole. */
export function pageQuery({ organization_id, site_id }: SiteParams, id: string) {
  return queryOptions({
    queryKey: ['site', site_id, 'preference-page', id],
    queryFn: ({ signal }) =>
      call(getPreferencePage, { params: { organization_id, site_id, id } }, { signal }),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}

export function usePages() {
  return useQuery(pagesQuery(useSite()));
}

interface PageToSave {
  fields: PreferencePageFields;
  /** Left out to overwrite what someone else saved meanwhile. */
  version?: number;
}

/** Creates a page (`id` undefined) or replaces one with all its lists. */
export function useSavePage({ organization_id, site_id }: SiteParams, id: string | undefined) {
  const site = { organization_id, site_id };
  return useMutation({
    mutationFn: ({ fields, version }: PageToSave): Promise<PreferencePage> =>
      id === undefined
        ? call(createPreferencePage, { params: site, body: fields })
        : call(replacePreferencePage, {
            params: { ...site, id },
            body: { ...fields, ...(version === undefined ? {} : { version }) },
          }),
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: pagesQuery(site).queryKey }),
        queryClient.invalidateQueries({ queryKey: listsQuery(site).queryKey }),
      ]),
  });
}

export async function deletePage({ organization_id, site_id }: SiteParams, id: string): Promise<void> {
  const site = { organization_id, site_id };
  await call(deletePreferencePage, { params: { ...site, id } });
  const { queryKey } = pagesQuery(site);
  queryClient.setQueryData(queryKey, (pages) => pages?.filter((page) => page.id !== id));
  await queryClient.invalidateQueries({ queryKey });
}

export function uploadImageFile(
  { organization_id, site_id }: SiteParams,
  kind: ImageKind,
  file: File,
): Promise<KeptImage> {
  return call(uploadImage, { params: { organization_id, site_id }, query: { kind }, file });
}
