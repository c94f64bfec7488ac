import { useMutation } from '@tanstack/react-query';
import { sendTestEmail } from '#contract/sites.ts';
import { call } from '../../api/call.ts';
import { useSite } from '../../site/current-site.tsx';

/** To the address of the owner's own account. */
export function useSendTestEmail() {
  const { organization_id, site_id } = useSite();
  return useMutation({
    gcTime: 0,
    mutationFn: () => call(sendTestEmail, { params: { organization_id, site_id } }),
  });
}
