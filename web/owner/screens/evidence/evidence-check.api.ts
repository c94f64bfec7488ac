import { queryOptions, useQuery } from '@tanstack/react-query';
import { getEvidenceCheck } from '#contract/evidence-check.ts';
import { listEvidenceHeads } from '#contract/proof.ts';
import { call } from '../../api/call.ts';
import { useSite } from '../../site/current-site.tsx';
import type { SiteParams } from '../../site/site-params.ts';

/** It runs once a night, so it is rarely refetched. */
const STALE_MS = 5 * 60_000;

export function evidenceCheckQuery({ organization_id, site_id }: SiteParams) {
  return queryOptions({
    queryKey: ['site', site_id, 'evidence-check'],
    queryFn: ({ signal }) => call(getEvidenceCheck, { params: { organization_id, site_id } }, { signal }),
    staleTime: STALE_MS,
  });
}

export function useEvidenceCheck() {
  return useQuery(evidenceCheckQuery(useSite()));
}

/** The newest signed head; null: none yet. */
export function lastHeadQuery({ organization_id, site_id }: SiteParams) {
  return queryOptions({
    queryKey: ['site', site_id, 'evidence-heads'],
    queryFn: async ({ signal }) => {
      const params = { organization_id, site_id };
      const { results } = await call(listEvidenceHeads, { params, query: { limit: 1 } }, { signal });
      return results[0] ?? null;
    },
    staleTime: STALE_MS,
  });
}

export function useLastHead() {
  return useQuery(lastHeadQuery(useSite()));
}
