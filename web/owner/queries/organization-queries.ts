import { queryOptions, useQuery } from '@tanstack/react-query';
import { getOrganization } from '#contract/organizations.ts';
import { call } from '../api/call.ts';
import { useSite } from '../site/current-site.tsx';

export function organizationQuery(id: string) {
  return queryOptions({
    queryKey: ['organization', id],
    queryFn: ({ signal }) => call(getOrganization, { params: { id } }, { signal }),
  });
}

/** The organization that the owner works in. */
export function useOrganization() {
  return useQuery(organizationQuery(useSite().organization_id));
}
