import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { checkDomain, getDomain, type SiteDomain } from '#contract/domains.ts';
import { updateSite } from '#contract/sites.ts';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { refreshSites } from '../../queries/site-queries.ts';
import { useSite } from '../../site/current-site.tsx';

/** The worker checks a new domain every minute; polling shows the result soon after. */
const WAITING_MS = 15_000;

function domainQuery({ organization_id, site_id }: { organization_id: string; site_id: string }) {
  return queryOptions({
    queryKey: ['site', site_id, 'domain'],
    queryFn: ({ signal }) => call(getDomain, { params: { organization_id, site_id } }, { signal }),
    staleTime: 0,
  });
}

export function useDomain() {
  return useQuery({
    ...domainQuery(useSite()),
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? WAITING_MS : false),
  });
}

export function useCheckDomain() {
  const site = useSite();
  const { organization_id, site_id } = site;
  return useMutation({
    mutationFn: (): Promise<SiteDomain> => call(checkDomain, { params: { organization_id, site_id } }),
    onSuccess: (domain) => queryClient.setQueryData(domainQuery(site).queryKey, domain),
  });
}

/** Sets the domain, or removes it (null). */
export function useSetDomain() {
  const site = useSite();
  const { organization_id, site_id } = site;
  return useMutation({
    mutationFn: (custom_domain: string | null) =>
      call(updateSite, { params: { organization_id, site_id }, body: { custom_domain } }),
    async onSuccess() {
      queryClient.removeQueries({ queryKey: domainQuery(site).queryKey });
      await refreshSites(organization_id);
      await queryClient.invalidateQueries({ queryKey: ['site', site_id] });
    },
  });
}
