import { useQuery } from '@tanstack/react-query';
import { getEvidenceAnchor } from '#contract/proof.ts';
import { call } from '../../api/call.ts';
import { useSite } from '../../site/current-site.tsx';

/** Where signed heads are sent, and how that went. @param target the one that is saved */
export function useEvidenceAnchor(target: string) {
  const { organization_id, site_id } = useSite();
  return useQuery({
    queryKey: ['site', site_id, 'evidence-anchor', target],
    queryFn: ({ signal }) => call(getEvidenceAnchor, { params: { organization_id, site_id } }, { signal }),
    enabled: target !== '',
  });
}
