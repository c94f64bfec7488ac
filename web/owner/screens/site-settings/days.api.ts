import { useMutation } from '@tanstack/react-query';
import { updateSite } from '#contract/sites.ts';
import { call } from '../../api/call.ts';
import { useSite } from '../../site/current-site.tsx';
import { refreshSites } from './domain.api.ts';

/** A setting of the site that is a number of days. */
export type DaysSetting = 'link_lifetime_days' | 'delivery_content_days';

export function useSetDays(setting: DaysSetting) {
  const { organization_id, site_id } = useSite();
  return useMutation({
    mutationFn: (days: number) =>
      call(updateSite, { params: { organization_id, site_id }, body: { [setting]: days } }),
    onSuccess: () => refreshSites(organization_id),
  });
}
