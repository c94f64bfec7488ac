import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { createApiKey, listApiKeys, revokeApiKey } from '#contract/api-keys.ts';
import type { RouteCall } from '#contract/route.ts';
import { call } from '../../../api/call.ts';
import { queryClient } from '../../../api/query-client.ts';
import { useSite } from '../../../site/current-site.tsx';
import { type SiteParams, siteParams } from '../../../site/site-params.ts';

function keysQuery(site: SiteParams) {
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

/** The response contains the key: shown once, stored nowhere. */
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
