import { useMutation } from '@tanstack/react-query';
import { sendOwnLink } from '#contract/page-drafts.ts';
import { call } from '../../api/call.ts';
import type { SiteParams } from '../../site/site-params.ts';

/** Mails the owner a personal link to a page. */
export function useSendOwnLink({ organization_id, site_id }: SiteParams, id: string) {
  return useMutation({
    mutationFn: () => call(sendOwnLink, { params: { organization_id, site_id, id } }),
  });
}
