import { useMutation } from '@tanstack/react-query';
import type { Operator } from '#contract/operator.ts';
import { sendTestEmail, updateSite } from '#contract/sites.ts';
import { call } from '../../api/call.ts';
import { useSite } from '../../site/current-site.tsx';
import { refreshSites } from './domain.api.ts';

type Settings = { sender_name: string; reply_to: string } | { operator: Operator };

export function useChangeSite() {
  const { organization_id, site_id } = useSite();
  return useMutation({
    mutationFn: (body: Settings) => call(updateSite, { params: { organization_id, site_id }, body }),
    onSuccess: () => refreshSites(organization_id),
  });
}

/** To the address of the owner's own account. */
export function useSendTestEmail() {
  const { organization_id, site_id } = useSite();
  return useMutation({
    gcTime: 0,
    mutationFn: () => call(sendTestEmail, { params: { organization_id, site_id } }),
  });
}
