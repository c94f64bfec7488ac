import { useMutation } from '@tanstack/react-query';
import { updateSite } from '#contract/sites.ts';
import { call } from '../../api.ts';
import { useSite } from '../../site.tsx';
import { refreshSites } from './domain.api.ts';

export function useSetLinkLifetime() {
  const { organization_id, site_id } = useSite();
  return useMutation({
    mutationFn: (link_lifetime_days: number) =>
      call(updateSite, { params: { organization_id, site_id }, body: { link_lifetime_days } }),
    onSuccess: () => refreshSites(organization_id),
  });
}
