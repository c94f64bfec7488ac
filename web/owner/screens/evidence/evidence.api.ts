import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { type Evidence, type LeaveReason, listEvidence, type MOVES } from '#contract/choices.ts';
import type { TestFilterValue } from '#contract/fields.ts';
import type { Verdict } from '#contract/judgements.ts';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';
import type { PrefetchTarget } from '../../prefetch/prefetch.ts';
import { useSite } from '../../site/current-site.tsx';
import { listsQuery } from '../../queries/list-queries.ts';
import { evidenceCheckQuery, lastHeadQuery } from './evidence-check.api.ts';
import { type SiteParams } from '../../site/site-params.ts';

export interface EvidenceFilter {
  since?: Evidence['occurred_at'] | undefined;
  chose?: 'true' | undefined;
  move?: (typeof MOVES)[number] | undefined;
  list_id?: string | undefined;
  reason?: LeaveReason | undefined;
  test?: TestFilterValue;
  verdict?: Verdict | undefined;
}

const PAGE_SIZE = 25;

function choicesQuery({ organization_id, site_id }: SiteParams, filter: EvidenceFilter) {
  return infiniteQueryOptions({
    queryKey: ['site', site_id, 'choices', filter],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = { ...filter, limit: PAGE_SIZE, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return call(listEvidence, { params: { organization_id, site_id }, query }, { signal });
    },
    getNextPageParam: (page) => page.next,
    staleTime: 0,
  });
}

/** All choices of the site, newest first. */
export function useChoices(filter: EvidenceFilter) {
  return useInfiniteQuery(choicesQuery(useSite(), filter));
}

export function prefetchEvidence({ site, search }: PrefetchTarget): void {
  void queryClient.prefetchInfiniteQuery(choicesQuery(site, search));
  void queryClient.prefetchQuery(listsQuery(site));
  void queryClient.prefetchQuery(evidenceCheckQuery(site));
  void queryClient.prefetchQuery(lastHeadQuery(site));
}
