import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { getOrganization, renameOrganization } from '#contract/organizations.ts';
import { createSite } from '#contract/sites.ts';
import { call } from '../../../api/call.ts';
import { queryClient } from '../../../api/query-client.ts';
import { sitesQuery, useSite } from '../../../site/current-site.tsx';

function organizationQuery(id: string) {
  return queryOptions({
    queryKey: ['organization', id],
    queryFn: ({ signal }) => call(getOrganization, { params: { id } }, { signal }),
  });
}

/** The organization that the owner works in. */
export function useOrganization() {
  return useQuery(organizationQuery(useSite().organization_id));
}

export function useRenameOrganization(id: string) {
  return useMutation({
    mutationFn: (name: string) => call(renameOrganization, { params: { id }, body: { name } }),
    onSuccess: (organization) => queryClient.setQueryData(organizationQuery(id).queryKey, organization),
  });
}

export function useCreateSite() {
  const { organization_id } = useSite();
  return useMutation({
    mutationFn: (body: { domain_name: string; name: string }) =>
      call(createSite, { params: { organization_id }, body }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: sitesQuery(organization_id).queryKey }),
  });
}
