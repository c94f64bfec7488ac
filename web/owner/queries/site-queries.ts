import { useMutation } from '@tanstack/react-query';
import type { z } from 'zod';
import { updateSite } from '#contract/sites.ts';
import { call } from '../api/call.ts';
import { queryClient } from '../api/query-client.ts';
import { sitesQuery, useSite } from '../site/current-site.tsx';
import { refreshDeliveries } from './delivery-queries.ts';

/** The sites say which host is used in links, and whether a site is in test mode. */
export function refreshSites(organizationId: string): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: sitesQuery(organizationId).queryKey });
}

export type SiteChanges = z.input<(typeof updateSite)['body']>;

/** Changes settings of the site. */
export function useChangeSite() {
  const { organization_id, site_id } = useSite();
  return useMutation({
    mutationFn: (body: SiteChanges) => call(updateSite, { params: { organization_id, site_id }, body }),
    onSuccess: (_site, { test_mode }) =>
      Promise.all([
        refreshSites(organization_id),
        // Test mode holds deliveries back, or no longer does.
        test_mode !== undefined && refreshDeliveries(site_id),
      ]),
  });
}
