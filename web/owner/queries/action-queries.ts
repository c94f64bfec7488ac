import { queryOptions, useQuery } from '@tanstack/react-query';
import { listActions } from '#contract/actions.ts';
import { call } from '../api/call.ts';
import { useSite } from '../site/current-site.tsx';
import { type SiteParams, siteParams } from '../site/site-params.ts';

export function actionsQuery(site: SiteParams) {
  return queryOptions({
    queryKey: ['site', site.site_id, 'actions'],
    queryFn: async ({ signal }) => {
      const { results } = await call(listActions, { params: siteParams(site) }, { signal });
      return results;
    },
  });
}

export function useActions() {
  return useQuery(actionsQuery(useSite()));
}
