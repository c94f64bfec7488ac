import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { createApiKey, listApiKeys, revokeApiKey } from '#contract/api-keys.ts';
import type { RouteCall } from '#contract/route.ts';
import { call } from '../../../api.ts';
import { queryClient } from '../../../query.ts';
import { type CurrentSite, useSite } from '../../../site.tsx';

type Site = Pick<CurrentSite, 'organization_id' | 'site_id'>;

function siteParams({ organization_id, site_id }: Site) {
  return { organization_id, site_id };
}

function keysQuery(site: Site) {
  return queryOptions({
    queryKey: ['site', site.site_id, 'api-keys'],
    queryFn: async ({ signal }) => {
      const { results } = await call(listApiKeys, { params: siteParams(site) }, { signal });
      return results;
    },
  });
}

export function useApiKeys() {
  return useQuery(keysQuery(useSite()));
}

/** The answer holds the key: seen once, kept nowhere. */
export function useCreateKey() {
  const site = useSite();
  return useMutation({
    gcTime: 0,
    mutationFn: (body: RouteCall<typeof createApiKey>['body']) =>
      call(createApiKey, { params: siteParams(site), body }),
    onSuccess: () => queryClient.invalidateQueries(keysQuery(site)),
  });
}

export function useRevokeKey() {
  const site = useSite();
  return useMutation({
    mutationFn: (id: string) => call(revokeApiKey, { params: { ...siteParams(site), id } }),
    onSuccess: () => queryClient.invalidateQueries(keysQuery(site)),
  });
}
