import { useQuery } from '@tanstack/react-query';
import { getEvidenceCheck } from '#contract/evidence-check.ts';
import { listEvidenceHeads } from '#contract/proof.ts';
import { call } from '../../api/call.ts';
import { useSite } from '../../site/current-site.tsx';

/** It runs once a night, so it is rarely refetched. */
const STALE_MS = 5 * 60_000;

export function useEvidenceCheck() {
  const { organization_id, site_id } = useSite();
  return useQuery({
    queryKey: ['site', site_id, 'evidence-check'],
    queryFn: ({ signal }) => call(getEvidenceCheck, { params: { organization_id, site_id } }, { signal }),
    staleTime: STALE_MS,
  });
}

/** The newest signed head; null: none yet. */
export function useLastHead() {
  const { organization_id, site_id } = useSite();
  return useQuery({
    queryKey: ['site', site_id, 'evidence-heads'],
    queryFn: async ({ signal }) => {
      const params = { organization_id, site_id };
      const { results } = await call(listEvidenceHeads, { params, query: { limit: 1 } }, { signal });
      return results[0] ?? null;
    },
    staleTime: STALE_MS,
  });
}
