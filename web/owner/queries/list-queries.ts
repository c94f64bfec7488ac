import { queryOptions, useQuery } from '@tanstack/react-query';
import { listLists } from '#contract/lists.ts';
import { call } from '../api/call.ts';
import { useSite } from '../site/current-site.tsx';
import { type SiteParams, siteParams } from '../site/site-params.ts';

export function listsQuery(site: SiteParams) {
  return queryOptions({
    queryKey: ['site', site.site_id, 'lists'],
    queryFn: async ({ signal }) => {
      const { results } = await call(listLists, { params: siteParams(site) }, { signal });
      return results;
    },
  });
}

export function useLists() {
  return useQuery(listsQuery(useSite()));
}
