import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { askEvidenceAnchor, getEvidenceAnchor } from '#contract/proof.ts';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import { useSite } from '../../site/current-site.tsx';

/** @param target the one that is saved */
function useAnchorQuery(target: string) {
  const { organization_id, site_id } = useSite();
  return queryOptions({
    queryKey: ['site', site_id, 'evidence-anchor', target],
    queryFn: ({ signal }) => call(getEvidenceAnchor, { params: { organization_id, site_id } }, { signal }),
    enabled: target !== '',
  });
}

/** Where signed heads are sent, and how that went. */
export function useEvidenceAnchor(target: string) {
  return useQuery(useAnchorQuery(target));
}

/** Emails the mailbox a new link by which it can agree. */
export function useAskEvidenceAnchor(target: string) {
  const { organization_id, site_id } = useSite();
  const { queryKey } = useAnchorQuery(target);
  return useMutation({
    mutationFn: () => call(askEvidenceAnchor, { params: { organization_id, site_id } }),
    onSuccess: (anchor) => queryClient.setQueryData(queryKey, anchor),
  });
}
