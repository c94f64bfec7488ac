import { useMutation } from '@tanstack/react-query';
import { renameOrganization } from '#contract/organizations.ts';
import { createSite } from '#contract/sites.ts';
import { call } from '../../../api/call.ts';
import { queryClient } from '../../../api/query-client.ts';
import { organizationQuery } from '../../../queries/organization-queries.ts';
import { sitesQuery, useSite } from '../../../site/current-site.tsx';

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
